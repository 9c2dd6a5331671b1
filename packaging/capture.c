/* capture DEVICE COUNT: a program as users have it, for the test of the packages. Linked with a stand-in
 * for libpfring, it gets the real one where it runs. */
#include <pfring.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct pfring_pkthdr header;
    u_char *packet = NULL;
    int count = argc == 3 ? atoi(argv[2]) : 0, got = 0;
    pfring *ring = count > 0 ? pfring_open(argv[1], 1536, PF_RING_PROMISC) : NULL;

    if (ring == NULL || pfring_enable_ring(ring) != 0) {
        perror("capture");
        return 1;
    }
    puts("ready");
    fflush(stdout);
    while (got < count && pfring_recv(ring, &packet, 0, &header, 1) >= 0)
        got++;
    printf("%d packets\n", got);
    pfring_close(ring);
    return got == count ? 0 : 1;
}
