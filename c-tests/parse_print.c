/*
 * Pure functions: the header parser with its hashes, the printed form, formatted numbers.
 * The hash values were measured on upstream's library.
 */
#include <pfring.h>

#include "frames.h"
#include "tap.h"

#define A 0x0a000001 /* 10.0.0.1 */
#define B 0x0a000002

/* A frame under construction. */
struct packet {
    unsigned char bytes[256];
    size_t len;
};

static void start(struct packet *packet, unsigned ethertype)
{
    memset(packet, 0, sizeof(*packet));
    packet->len = put_ether(packet->bytes, ethertype);
}

static void add16(struct packet *packet, unsigned value)
{
    put16(packet->bytes + packet->len, value);
    packet->len += 2;
}

static void add32(struct packet *packet, uint32_t value)
{
    put32(packet->bytes + packet->len, value);
    packet->len += 4;
}

static void add_ipv4(struct packet *packet, unsigned proto, uint32_t src, uint32_t dst)
{
    packet->len += put_ipv4(packet->bytes + packet->len, proto, src, dst, 40);
}

static void add_ipv6(struct packet *packet, unsigned proto, unsigned src, unsigned dst)
{
    unsigned char *at = packet->bytes + packet->len;

    at[0] = 0x60;
    put16(at + 4, 8);
    at[6] = (unsigned char)proto;
    at[7] = 64;
    put32(at + 8, 0x20010db8);
    at[23] = (unsigned char)src;
    put32(at + 24, 0x20010db8);
    at[39] = (unsigned char)dst;
    packet->len += 40;
}

static void add_udp(struct packet *packet, unsigned sport, unsigned dport)
{
    packet->len += put_udp(packet->bytes + packet->len, sport, dport, 0);
}

static void add_tcp(struct packet *packet, unsigned sport, unsigned dport, uint32_t seq)
{
    unsigned char *at = packet->bytes + packet->len;

    put16(at, sport);
    put16(at + 2, dport);
    put32(at + 4, seq);
    at[12] = 5 << 4;
    at[13] = 0x12; /* SYN and ACK */
    packet->len += 20;
}

/* Parses with the hash into a cleared header; the level reached. */
static int parse(const struct packet *packet, struct pfring_pkthdr *hdr, u_int8_t level)
{
    memset(hdr, 0, sizeof(*hdr));
    hdr->caplen = hdr->len = (u_int32_t)packet->len;
    return pfring_parse_pkt((u_char *)packet->bytes, hdr, level, 0, 1);
}

static void hash_is(const struct packet *packet, u_int8_t level, int reaches, u_int32_t hash,
                    const char *name)
{
    struct packet before = *packet;
    struct pfring_pkthdr hdr;

    is_int(parse(packet, &hdr, level), reaches, name);
    is_int(hdr.extended_hdr.pkt_hash, hash, "its hash");
    ok(memcmp(&before, packet, sizeof(before)) == 0, "the packet is not modified");
}

static void hashes(void)
{
    struct packet p;

    start(&p, 0x0800);
    add_ipv4(&p, 6, A, B);
    add_tcp(&p, 1234, 80, 1);
    hash_is(&p, 4, 4, 335545643, "TCP");
    hash_is(&p, 3, 3, 335544329, "TCP at level 3");

    start(&p, 0x0800);
    add_ipv4(&p, 6, B, A);
    add_tcp(&p, 80, 1234, 1);
    hash_is(&p, 4, 4, 335545643, "TCP, the other direction");

    start(&p, 0x0800);
    add_ipv4(&p, 1, A, B);
    add32(&p, 0x08000000);
    add32(&p, 0);
    hash_is(&p, 4, 3, 335544324, "ICMP");

    start(&p, 0x8100);
    add16(&p, 100);
    add16(&p, 0x8100);
    add16(&p, 200);
    add16(&p, 0x0800);
    add_ipv4(&p, 17, 0xc0a80101, 0xc0a80102);
    add_udp(&p, 1000, 2000);
    hash_is(&p, 4, 4, 2169507376u, "UDP behind two tags");

    start(&p, 0x86dd);
    add_ipv6(&p, 17, 1, 2);
    add_udp(&p, 1000, 2000);
    hash_is(&p, 4, 4, 1931087369, "UDP over IPv6");

    start(&p, 0x0800);
    add_ipv4(&p, 132, A, B);
    add16(&p, 1000);
    add16(&p, 2000);
    add32(&p, 0);
    add32(&p, 0);
    hash_is(&p, 4, 4, 335547455, "SCTP");
}

static void tunnel_hashes(void)
{
    struct packet p;

    start(&p, 0x0800);
    add_ipv4(&p, 17, A, B);
    add_udp(&p, 2152, 2152);
    add32(&p, 0x30ff0024); /* GTP version 1, a user packet */
    add32(&p, 0x1234);
    add_ipv4(&p, 17, 0xc0a80101, 0xc0a80102);
    add_udp(&p, 1000, 2000);
    hash_is(&p, 5, 6, 2169507276u, "UDP in GTP-U");

    start(&p, 0x0800);
    add_ipv4(&p, 47, A, B);
    add32(&p, 0x20000800); /* GRE with a key */
    add32(&p, 77);
    add_ipv4(&p, 17, 0xc0a80101, 0xc0a80102);
    add_udp(&p, 1000, 2000);
    hash_is(&p, 5, 6, 2169507276u, "UDP in GRE with a key");

    start(&p, 0x0800);
    add_ipv4(&p, 47, A, B);
    add32(&p, 0x00000800);
    add_ipv4(&p, 17, 0xc0a80101, 0xc0a80102);
    add_udp(&p, 1000, 2000);
    hash_is(&p, 5, 6, 335544370, "UDP in GRE without a key");
}

static void fields(void)
{
    struct pfring_pkthdr hdr;
    struct pkt_parsing_info *info = &hdr.extended_hdr.parsed_pkt;
    struct packet p;

    start(&p, 0x0800);
    add_ipv4(&p, 6, A, B);
    add_tcp(&p, 1234, 80, 77);
    is_int(parse(&p, &hdr, 5), 4, "TCP is level 4");
    ok(memcmp(info->dmac, frame_dst, 6) == 0 && memcmp(info->smac, frame_src, 6) == 0, "MACs");
    ok(info->eth_type == 0x0800 && info->ip_version == 4 && info->l3_proto == 6, "protocols");
    ok(info->ipv4_src == A && info->ipv4_dst == B, "addresses in host order");
    ok(info->l4_src_port == 1234 && info->l4_dst_port == 80, "ports in host order");
    ok(info->tcp.seq_num == 77 && info->tcp.flags == 0x12, "sequence number and flags");
    ok(info->offset.eth_offset == 0 && info->offset.vlan_offset == 0 &&
           info->offset.l3_offset == 14 && info->offset.l4_offset == 34 &&
           info->offset.payload_offset == 54,
       "offsets");
    is_int(info->tunnel.tunnel_id, NO_TUNNEL_ID, "no tunnel");
    is_int(parse(&p, &hdr, 2), 2, "level 2 asked for");
    is_int(parse(&p, &hdr, 3), 3, "level 3 asked for");

    memset(&hdr, 0, sizeof(hdr));
    hdr.caplen = hdr.len = (u_int32_t)p.len;
    pfring_parse_pkt(p.bytes, &hdr, 4, 1, 0);
    ok(hdr.ts.tv_sec > 1000000000, "a stamp is added when there is none");
    is_int(hdr.extended_hdr.pkt_hash, 0, "no hash is added unasked");
    hdr.ts.tv_sec = 5;
    hdr.extended_hdr.pkt_hash = 9;
    memset(info, 0, sizeof(*info));
    pfring_parse_pkt(p.bytes, &hdr, 4, 1, 1);
    ok(hdr.ts.tv_sec == 5 && hdr.extended_hdr.pkt_hash == 9, "what is there stays");
}

/* Every length a frame can be cut to: no offset behind the end. valgrind sees the rest. */
static void cut_frames(void)
{
    struct packet p;
    size_t len, bad = 0;

    start(&p, 0x8100);
    add16(&p, 100);
    add16(&p, 0x0800);
    add_ipv4(&p, 6, A, B);
    add_tcp(&p, 1234, 80, 77);
    for (len = 0; len <= p.len; len++) {
        u_char *exact = (u_char *)malloc(len > 0 ? len : 1);
        struct pfring_pkthdr hdr;
        int rc;

        if (exact == NULL)
            bail_out("no memory");
        memcpy(exact, p.bytes, len);
        memset(&hdr, 0, sizeof(hdr));
        hdr.caplen = (u_int32_t)len;
        hdr.len = (u_int32_t)p.len;
        rc = pfring_parse_pkt(exact, &hdr, 5, 0, 1);
        bad += rc > 6 || hdr.extended_hdr.parsed_pkt.offset.l3_offset > (int)len ||
               hdr.extended_hdr.parsed_pkt.offset.l4_offset > (int)len;
        free(exact);
    }
    is_int((long long)bad, 0, "no cut makes an offset behind the end");
}

/* Parses a frame alone in memory of exactly its length; the level, -1 for a bad offset. */
static int parse_alone(const struct packet *packet, size_t len)
{
    u_char *exact = (u_char *)malloc(len > 0 ? len : 1);
    struct pfring_pkthdr hdr;
    const struct pkt_offset *offset = &hdr.extended_hdr.parsed_pkt.offset;
    int level;

    if (exact == NULL)
        bail_out("no memory");
    memcpy(exact, packet->bytes, len);
    memset(&hdr, 0, sizeof(hdr));
    hdr.caplen = hdr.len = (u_int32_t)len;
    level = pfring_parse_pkt(exact, &hdr, 5, 0, 1);
    if (offset->vlan_offset > (int)len || offset->l3_offset > (int)len ||
        offset->l4_offset > (int)len || offset->payload_offset > (int)len)
        level = -1;
    if (memcmp(exact, packet->bytes, len) != 0)
        level = -1;
    free(exact);
    return level;
}

/* Headers that say what is not true (R31), whole and cut at every length, for valgrind. */
static void malformed(void)
{
    struct {
        const char *name;
        int level;
        struct packet packet;
    } rows[7];
    size_t i, len, bad = 0;

    memset(rows, 0, sizeof(rows));
    rows[0].name = "hop-by-hop options of 2048 bytes in a frame of 60";
    rows[0].level = 3;
    start(&rows[0].packet, 0x86dd);
    add_ipv6(&rows[0].packet, 0, 1, 2);
    add16(&rows[0].packet, 6 << 8 | 255);
    add32(&rows[0].packet, 0);

    rows[1].name = "a fragment header cut after 3 bytes";
    rows[1].level = 3;
    start(&rows[1].packet, 0x86dd);
    add_ipv6(&rows[1].packet, 44, 1, 2);
    add16(&rows[1].packet, 17 << 8);
    rows[1].packet.len++;

    rows[2].name = "an IPv4 header of 12 bytes";
    rows[2].level = 2;
    start(&rows[2].packet, 0x0800);
    add_ipv4(&rows[2].packet, 6, A, B);
    add_tcp(&rows[2].packet, 1, 2, 3);
    rows[2].packet.bytes[14] = 0x43;

    rows[3].name = "an IPv4 header of 60 bytes in a frame of 40";
    rows[3].level = 3;
    start(&rows[3].packet, 0x0800);
    add_ipv4(&rows[3].packet, 6, A, B);
    rows[3].packet.bytes[14] = 0x4f;
    rows[3].packet.len = 40;

    rows[4].name = "a TCP header of 60 bytes, cut";
    rows[4].level = 4;
    start(&rows[4].packet, 0x0800);
    add_ipv4(&rows[4].packet, 6, A, B);
    add_tcp(&rows[4].packet, 1, 2, 3);
    rows[4].packet.bytes[34 + 12] = 15 << 4;

    rows[5].name = "GRE with all fields in 4 bytes";
    rows[5].level = 3;
    start(&rows[5].packet, 0x0800);
    add_ipv4(&rows[5].packet, 47, A, B);
    add32(&rows[5].packet, 0xf0000800);

    rows[6].name = "a GTP extension of length 0";
    rows[6].level = 4;
    start(&rows[6].packet, 0x0800);
    add_ipv4(&rows[6].packet, 17, A, B);
    add_udp(&rows[6].packet, 2152, 2152);
    add32(&rows[6].packet, 0x34ff0010);
    add32(&rows[6].packet, 1);
    add32(&rows[6].packet, 0x00000085);
    add32(&rows[6].packet, 0x00000085);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct packet *packet = &rows[i].packet;

        is_int(parse_alone(packet, packet->len), rows[i].level, rows[i].name);
        for (len = 0; len < packet->len; len++)
            bad += parse_alone(packet, len) < 2;
    }
    is_int((long long)bad, 0, "no cut of these makes an offset behind the end");
}

static void printed(void)
{
    static const char tcp[] =
        "[02:00:00:00:00:01 -> 02:00:00:00:00:02] [IPv4][10.0.0.1:1234 -> 10.0.0.2:80] "
        "[l3_proto=TCP][hash=335545643][tos=0][tcp_seq_num=77] "
        "[caplen=54][len=54][eth_offset=0][l3_offset=14][l4_offset=34][payload_offset=54]";
    static const char udp[] =
        "[02:00:00:00:00:01 -> 02:00:00:00:00:02] [vlan 100] "
        "[IPv4][10.0.0.1:1000 -> 10.0.0.2:53] [l3_proto=UDP][hash=335545493] "
        "[caplen=60][len=60][eth_offset=0][l3_offset=18][l4_offset=38][payload_offset=46]";
    static const char other[] =
        "[02:00:00:00:00:01 -> 02:00:00:00:00:02] [eth_type=0x88B5] "
        "[caplen=60][len=60][eth_offset=0][l3_offset=14][l4_offset=0][payload_offset=0]";
    struct packet p;
    char text[1024] = "";

    start(&p, 0x0800);
    add_ipv4(&p, 6, A, B);
    add_tcp(&p, 1234, 80, 77);
    is_int(pfring_print_pkt(text, sizeof(text), p.bytes, (u_int)p.len, (u_int)p.len),
           sizeof(tcp) - 1, "the length of what is printed");
    is_str(text, tcp, "TCP in print");

    memset(text, 'G', sizeof(text));
    is_int(pfring_print_pkt(text, 40, p.bytes, (u_int)p.len, (u_int)p.len), sizeof(tcp) - 1,
           "the same length in a short buffer");
    ok(memcmp(text, tcp, 39) == 0 && text[39] == '\0' && text[40] == 'G', "cut at its end");

    udp_frame(p.bytes, 60, 100, A, B, 1000, 53);
    memset(text, 0, sizeof(text));
    pfring_print_pkt(text, sizeof(text), p.bytes, 60, 60);
    is_str(text, udp, "UDP with a tag in print");

    memset(p.bytes, 0, sizeof(p.bytes));
    put_ether(p.bytes, 0x88b5);
    memset(text, 0, sizeof(text));
    pfring_print_pkt(text, sizeof(text), p.bytes, 60, 60);
    is_str(text, other, "a frame of no known type in print");
}

static void numbers(void)
{
    static const struct {
        double value;
        u_int8_t decimals;
        const char *want;
    } rows[] = {
        {0, 0, "0"},
        {999, 0, "999"},
        {1000, 0, "1'000"},
        {1234567.891, 0, "1'234'567"},
        {1234567.891, 1, "1'234'567.89"},
        {0.5, 1, "0.50"},
        {999.999, 1, "1000.00"},
        {123456789012.0, 0, "123'456'789'012"},
    };
    char text[64];
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ok(pfring_format_numbers(rows[i].value, text, sizeof(text), rows[i].decimals) == text,
           "format gives its buffer back");
        is_str(text, rows[i].want, rows[i].want);
    }
}

int main(void)
{
    watch_stdout();
    alarm(60);
    hashes();
    tunnel_hashes();
    fields();
    cut_frames();
    malformed();
    printed();
    numbers();
    return done();
}
