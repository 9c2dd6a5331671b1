/*
 * The device list of pfcount: -L for people, -I for programs.
 */
#include "pfcount.h"
#include "common.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static const char *status_name(int status)
{
    return status == 1 ? "Up" : status == 0 ? "Down" : "Unknown";
}

static const char *license_name(const pfring_if_t *dev)
{
    if (dev->license == 0)
        return "NotFound";
    if (dev->license_expiration > 0 && dev->license_expiration < time(NULL))
        return "Expired";
    return "Valid";
}

static void bus_name(const pfring_if_t *dev, char *buf, size_t size)
{
    snprintf(buf, size, "%04X:%02X:%02X.%X", (unsigned)dev->bus_id.slot, (unsigned)dev->bus_id.bus,
             (unsigned)dev->bus_id.device, (unsigned)dev->bus_id.function);
}

/* The serial number if there is one, else the MAC address. */
static void serial_name(const pfring_if_t *dev, char *buf, size_t size)
{
    if (dev->sn != NULL)
        snprintf(buf, size, "%s", dev->sn);
    else
        format_mac((const unsigned char *)dev->mac, buf, size);
}

/* The memory node next to the device, -1 when the kernel does not say. */
static int numa_node(const pfring_if_t *dev)
{
    char path[320];
    FILE *in;
    int node = -1;

    snprintf(path, sizeof(path), "/sys/class/net/%.128s/device/numa_node",
             or_empty(dev->system_name));
    in = fopen(path, "r");
    if (in == NULL)
        return -1;
    if (fscanf(in, "%d", &node) != 1)
        node = -1;
    fclose(in);
    return node;
}

static void print_names(const pfring_if_t *dev)
{
    int i = 0;

    printf("Available devices (-i):\n");
    for (; dev != NULL; dev = dev->next)
        printf(" %d. %s\n", i++, or_empty(dev->name));
}

static void print_table(const pfring_if_t *dev)
{
    printf("Name\tSystemName\tModule\tMAC\tBusID\tNumaNode\tStatus\tLicense\tExpiration\t"
           "ModuleVersion\n");
    for (; dev != NULL; dev = dev->next) {
        char serial[64], bus[64];

        serial_name(dev, serial, sizeof(serial));
        bus_name(dev, bus, sizeof(bus));
        printf("%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%lld\t%s\n", or_empty(dev->name),
               or_empty(dev->system_name), or_empty(dev->module), serial, bus, numa_node(dev),
               status_name(dev->status), license_name(dev), (long long)dev->license_expiration,
               or_empty(dev->module_version));
    }
}

static void print_json_string(const char *key, const char *value, int first)
{
    printf("%s\"%s\":\"", first ? "" : ",", key);
    for (; *value != '\0'; value++) {
        unsigned char c = (unsigned char)*value;

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_json(const pfring_if_t *dev)
{
    int first = 1;

    printf("{\"interfaces\":[");
    for (; dev != NULL; dev = dev->next, first = 0) {
        char serial[64], bus[64], node[16], expiration[32];

        serial_name(dev, serial, sizeof(serial));
        bus_name(dev, bus, sizeof(bus));
        snprintf(node, sizeof(node), "%d", numa_node(dev));
        snprintf(expiration, sizeof(expiration), "%lld", (long long)dev->license_expiration);
        printf("%s{", first ? "" : ",");
        print_json_string("name", or_empty(dev->name), 1);
        print_json_string("system_name", or_empty(dev->system_name), 0);
        print_json_string("module", or_empty(dev->module), 0);
        print_json_string("sn", serial, 0);
        print_json_string("bus_id", bus, 0);
        print_json_string("numa_node", node, 0);
        print_json_string("status", status_name(dev->status), 0);
        print_json_string("license", license_name(dev), 0);
        print_json_string("expiration", expiration, 0);
        print_json_string("mod_version", or_empty(dev->module_version), 0);
        putchar('}');
    }
    printf("]}");
}

int list_devices(const struct options *opt)
{
    pfring_if_t *devices = pfring_findalldevs();

    if (devices == NULL) {
        fprintf(stderr, "the list of devices could not be read\n");
        return EXIT_FAILED;
    }
    if (opt->list_json)
        print_json(devices);
    else if (opt->verbose == 1)
        print_table(devices);
    else
        print_names(devices);
    pfring_freealldevs(devices);
    return 0;
}
