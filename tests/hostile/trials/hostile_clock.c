/* The wall clock as a sync must not trust it: every half second it stands elsewhere.
 * Built and preloaded by hostile_live.py; the monotonic clock is left alone. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const long hours[] = {0, 1, -24, 24 * 365 * 20, -1, -24 * 365 * 20, 24 * 365};

int clock_gettime(clockid_t clock, struct timespec *now)
{
    long failed = syscall(SYS_clock_gettime, clock, now);
    if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
        return (int)failed;
    struct timespec since;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &since);
    long turn = since.tv_sec * 2 + since.tv_nsec / 500000000;
    now->tv_sec += 3600 * hours[turn % (long)(sizeof hours / sizeof *hours)];
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *kept)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (kept)
        *kept = exact.tv_sec;
    return exact.tv_sec;
}
