/* Frames made by the kernel on the receiving interface: see flood.h. */
#include "flood.h"
#include "bench.h"

#include <linux/bpf.h>
#include <net/if.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef BPF_F_TEST_XDP_LIVE_FRAMES
#define BPF_F_TEST_XDP_LIVE_FRAMES (1U << 1)
#endif

static long bpf(int command, union bpf_attr *attr)
{
    return syscall(SYS_bpf, command, attr, sizeof *attr);
}

int open_flood(void)
{
    /* r0 = XDP_PASS; exit: the frame goes to the stack as one that RX_NAME received. */
    static const struct bpf_insn program[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
        {.code = BPF_JMP | BPF_EXIT},
    };
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.prog_type = BPF_PROG_TYPE_XDP;
    attr.insns = (uintptr_t)program;
    attr.insn_cnt = sizeof program / sizeof *program;
    attr.license = (uintptr_t) "Dual MIT/GPL";
    return (int)bpf(BPF_PROG_LOAD, &attr);
}

int flood(int program, const unsigned char *frame, unsigned count)
{
    union bpf_attr attr;
    struct xdp_md context;
    memset(&attr, 0, sizeof attr);
    memset(&context, 0, sizeof context);
    context.data_end = FRAME_LEN;
    context.ingress_ifindex = if_nametoindex(RX_NAME);
    attr.test.prog_fd = (unsigned)program;
    attr.test.data_in = (uintptr_t)frame;
    attr.test.data_size_in = FRAME_LEN;
    attr.test.ctx_in = (uintptr_t)&context;
    attr.test.ctx_size_in = sizeof context;
    attr.test.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
    attr.test.repeat = count;
    return (int)bpf(BPF_PROG_TEST_RUN, &attr);
}
