/* A host that ignores its children, and one that reaps every child it finds: programs build all the same, and the host sees no children. */

#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void reap(int number)
{
    (void)number;
    int saved = errno;
    seen++;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    errno = saved;
}

static void build_and_run(int value)
{
    char source[200];
    snprintf(source, sizeof source, "kernel void k(global int *a) { a[0] = %d; }", value);
    struct setup s = set_up(source);
    int got = 0;
    run(&s, "k", 1, &got, sizeof got);
    CHECK(got == value, "%d, not %d", got, value);
    tear_down(&s);
}

int main(void)
{
    setenv("BROLGA_CACHE", "0", 1);
    signal(SIGCHLD, SIG_IGN);
    build_and_run(1);

    struct sigaction action = {.sa_handler = reap, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    build_and_run(2);
    CHECK(seen == 0, "the host heard of %d children", (int)seen);
    CHECK(waitpid(-1, NULL, 0) < 0 && errno == ECHILD, "a child is left");

    /* Standard descriptors closed, a blocked signal mask, and a PATH that leads nowhere useful first. */
    int out = fcntl(2, F_DUPFD_CLOEXEC, 10);
    close(0);
    close(1);
    close(2);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    char path[4096];
    snprintf(path, sizeof path, ".:/nonexistent::%s", getenv("PATH") ? getenv("PATH") : "");
    setenv("PATH", path, 1);
    setenv("LD_PRELOAD", "/nonexistent.so", 1);
    build_and_run(3);
    dup2(out, 2);
    return 0;
}
