/*
 * What pfcount may do with a packet beyond counting it: print, dump, search, check, drop its flow.
 * Each part is switched on by a flag; with none of them packet_work is never called.
 */
#define _GNU_SOURCE
#include "pfcount.h"
#include "common.h"
#include "pcapfile.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STRINGS_FROM 42 /* Ethernet, IPv4 and UDP headers are not searched */

static struct pcapfile dump;
static int dumping, dump_failed;
static volatile sig_atomic_t rotation_asked;

static char **strings;
static size_t string_count;

static uint32_t rules_added;
static int rules_refused;

/* --- set-up --- */

static int read_strings(const char *path)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t n;

    if (in == NULL) {
        fprintf(stderr, "-x %s: %s\n", path, strerror(errno));
        return -1;
    }
    while ((n = getline(&line, &size, in)) >= 0) {
        char **grown;

        while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
            line[--n] = '\0';
        if (n == 0 || line[0] == '#')
            continue;
        grown = realloc(strings, (string_count + 1) * sizeof(*strings));
        if (grown == NULL)
            break;
        strings = grown;
        strings[string_count] = strdup(line);
        if (strings[string_count] == NULL)
            break;
        string_count++;
    }
    free(line);
    n = feof(in) ? 0 : -1;
    fclose(in);
    if (n < 0)
        fprintf(stderr, "-x %s: could not be read to its end\n", path);
    return (int)n;
}

/* The link type a pcap file carries for what the library calls a DLT value. */
static uint32_t file_link_type(pfring *ring)
{
    int type = pfring_get_link_type(ring);

    if (type < 0)
        return 1;                           /* Ethernet */
    return type == 12 ? 101 : (uint32_t)type; /* DLT_RAW is 12 in memory, 101 in files */
}

int packet_setup(const struct options *opt, pfring *ring)
{
    if (opt->strings_path != NULL && read_strings(opt->strings_path) < 0)
        return -1;
    if (opt->dump_path != NULL) {
        if (pcapfile_open(&dump, opt->dump_path, file_link_type(ring), opt->snaplen) < 0) {
            fprintf(stderr, "-o %s: %s\n", opt->dump_path, strerror(errno));
            return -1;
        }
        dumping = 1;
    }
    return 0;
}

int packet_has_work(const struct options *opt)
{
    return opt->verbose || opt->dump_path != NULL || opt->strings_path != NULL || opt->touch ||
           opt->copy || opt->check_time || opt->check_source || opt->drop_rules != rule_none;
}

/* --- the dump file --- */

static void dump_error(void)
{
    if (!__atomic_exchange_n(&dump_failed, 1, __ATOMIC_RELAXED)) {
        fprintf(stderr, "-o %s: %s\n", dump.base, strerror(errno));
        stop_failed();
    }
}

void packet_ask_rotation(void)
{
    rotation_asked = 1;
}

void packet_tick(void)
{
    if (!dumping || dump_failed)
        return;
    if (rotation_asked) {
        rotation_asked = 0;
        if (pcapfile_rotate(&dump) < 0)
            dump_error();
    } else if (pcapfile_flush(&dump) < 0) {
        dump_error();
    }
}

static void dump_packet(const struct pfring_pkthdr *hdr, const u_char *data)
{
    if (dump_failed)
        return;
    if (pcapfile_write(&dump, hdr->ts.tv_sec, (uint32_t)hdr->ts.tv_usec, hdr->caplen, hdr->len,
                       data) < 0)
        dump_error();
}

int packet_finish(void)
{
    size_t i;

    for (i = 0; i < string_count; i++)
        free(strings[i]);
    free(strings);
    if (dumping && pcapfile_close(&dump) < 0)
        dump_error();
    return dump_failed ? -1 : 0;
}

/* --- printing --- */

static void print_process(char *buf, size_t size, uint32_t pid)
{
    char link[64], path[256];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/%u/exe", pid);
    n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    snprintf(buf, size, "[pid=%u (%s)]", pid, path);
}

static void print_hex(const u_char *data, uint32_t len)
{
    uint32_t i, j;

    for (i = 0; i < len; i += 16) {
        printf("%04x ", i);
        for (j = i; j < i + 16; j++)
            j < len ? printf(" %02x", data[j]) : printf("   ");
        printf("  ");
        for (j = i; j < i + 16 && j < len; j++)
            putchar(data[j] >= 0x20 && data[j] < 0x7f ? data[j] : '.');
        putchar('\n');
    }
}

static void print_packet(const struct options *opt, const struct pfring_pkthdr *hdr,
                         const u_char *data)
{
    const struct pfring_extended_pkthdr *ext = &hdr->extended_hdr;
    long sec = (long)((hdr->ts.tv_sec + gmt_to_local(hdr->ts.tv_sec)) % 86400);
    char process[384] = "", text[1024] = "";

    if (ext->process.pid != 0)
        print_process(process, sizeof(process), ext->process.pid);
    pfring_print_parsed_pkt(text, sizeof(text), data, hdr);
    text[strcspn(text, "\n")] = '\0';

    flockfile(stdout); /* one packet's lines stay together */
    printf("%02ld:%02ld:%02ld.%06ld%03u [%s][if_index=%d][hash=%u]%s%s\n", sec / 3600,
           sec / 60 % 60, sec % 60, (long)hdr->ts.tv_usec, (unsigned)(ext->timestamp_ns % 1000),
           ext->rx_direction == 1 ? "RX" : "TX", ext->if_index, ext->pkt_hash, process, text);
    if (opt->verbose == 2)
        print_hex(data, hdr->caplen);
    funlockfile(stdout);
}

/* --- checks --- */

static void check_time(struct worker *w, const struct pfring_pkthdr *hdr)
{
    uint64_t ns = hdr->extended_hdr.timestamp_ns;

    if (ns == 0)
        ns = (uint64_t)hdr->ts.tv_sec * 1000000000u + (uint64_t)hdr->ts.tv_usec * 1000u;
    if (ns < w->last_ns)
        fprintf(stderr, "timestamp goes back by %llu ns, to %llu.%09llu\n",
                (unsigned long long)(w->last_ns - ns), (unsigned long long)(ns / 1000000000u),
                (unsigned long long)(ns % 1000000000u));
    w->last_ns = ns;
}

static void check_source(struct worker *w, const struct pkt_parsing_info *info)
{
    uint32_t source = info->ipv4_src;

    if (info->ip_version != 4)
        return;
    if (w->have_source && source != w->last_source + 1)
        fprintf(stderr, "IPv4 source is %u.%u.%u.%u, %d after the one before\n", source >> 24,
                source >> 16 & 255, source >> 8 & 255, source & 255,
                (int)(source - w->last_source));
    w->last_source = source;
    w->have_source = 1;
}

static void search_strings(struct worker *w, const struct pfring_pkthdr *hdr, const u_char *data)
{
    size_t i;

    if (hdr->caplen <= STRINGS_FROM)
        return;
    for (i = 0; i < string_count; i++)
        if (memmem(data + STRINGS_FROM, hdr->caplen - STRINGS_FROM, strings[i],
                   strlen(strings[i])) != NULL)
            counter_add(&w->matched, 1);
}

/* --- a drop rule for the flow of each packet --- */

static int add_hash_rule(pfring *ring, const struct pkt_parsing_info *info, uint16_t id)
{
    hash_filtering_rule rule;

    memset(&rule, 0, sizeof(rule));
    rule.rule_id = id;
    rule.vlan_id = info->vlan_id;
    rule.ip_version = info->ip_version;
    rule.proto = info->l3_proto;
    rule.host_peer_a = info->ip_src;
    rule.host_peer_b = info->ip_dst;
    rule.port_peer_a = info->l4_src_port;
    rule.port_peer_b = info->l4_dst_port;
    rule.rule_action = dont_forward_packet_and_stop_rule_evaluation;
    return pfring_handle_hash_filtering_rule(ring, &rule, 1);
}

static int add_wildcard_rule(pfring *ring, const struct pkt_parsing_info *info, uint16_t id)
{
    filtering_rule rule;
    size_t mask = info->ip_version == 4 ? sizeof(uint32_t) : sizeof(rule.core_fields.shost_mask);

    memset(&rule, 0, sizeof(rule));
    rule.rule_id = id;
    rule.rule_action = dont_forward_packet_and_stop_rule_evaluation;
    rule.core_fields.vlan_id = info->vlan_id;
    rule.core_fields.proto = info->l3_proto;
    rule.core_fields.shost = info->ip_src;
    rule.core_fields.dhost = info->ip_dst;
    memset(&rule.core_fields.shost_mask, 0xff, mask);
    memset(&rule.core_fields.dhost_mask, 0xff, mask);
    rule.core_fields.sport_low = rule.core_fields.sport_high = info->l4_src_port;
    rule.core_fields.dport_low = rule.core_fields.dport_high = info->l4_dst_port;
    return pfring_add_filtering_rule(ring, &rule);
}

static void drop_flow(const struct worker *w, const struct pkt_parsing_info *info)
{
    int rc;

    if (rules_refused || (info->ip_version != 4 && info->ip_version != 6))
        return;
    errno = 0;
    if (w->opt->drop_rules == rule_hash)
        rc = add_hash_rule(w->ring, info, 0);
    else
        rc = add_wildcard_rule(w->ring, info,
                               (uint16_t)__atomic_fetch_add(&rules_added, 1, __ATOMIC_RELAXED));
    if (rc >= 0 || errno == EEXIST)
        return;
    if (!__atomic_exchange_n(&rules_refused, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "-u: the rule was refused (%d%s), no more are added\n", rc,
                rc == PF_RING_ERROR_NOT_SUPPORTED ? ", not supported" : "");
}

/* --- all of it --- */

void packet_work(struct worker *w, const struct pfring_pkthdr *hdr, const u_char *data)
{
    const struct options *opt = w->opt;

    if (opt->touch && hdr->caplen > 13) {
        (void)*(const volatile u_char *)(data + 12);
        (void)*(const volatile u_char *)(data + 13);
    }
    if (opt->copy)
        memcpy(w->scratch, data, hdr->caplen < opt->snaplen ? hdr->caplen : opt->snaplen);
    if (opt->check_time)
        check_time(w, hdr);
    if (string_count > 0)
        search_strings(w, hdr, data);
    if (dumping)
        dump_packet(hdr, data);

    if (opt->verbose || opt->check_source || opt->drop_rules != rule_none) {
        struct pfring_pkthdr parsed = *hdr;

        /* Parsed again here, so that the output does not depend on what the library filled in. */
        memset(&parsed.extended_hdr.parsed_pkt, 0, sizeof(parsed.extended_hdr.parsed_pkt));
        pfring_parse_pkt((u_char *)data, &parsed, 5, 0, 1);
        if (opt->check_source)
            check_source(w, &parsed.extended_hdr.parsed_pkt);
        if (opt->verbose && hdr->len > opt->print_above)
            print_packet(opt, &parsed, data);
        if (opt->drop_rules != rule_none)
            drop_flow(w, &parsed.extended_hdr.parsed_pkt);
    }
}
