/* OpenCL before and after fork(), in the parent and in the child. */

#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

enum { N = 100000 };

static int numbers[N];

static void use(struct setup *s)
{
    for (int i = 0; i < N; i++)
        numbers[i] = i;
    run(s, "k", N, numbers, sizeof numbers);
    for (int i = 0; i < N; i++)
        CHECK(numbers[i] == i * 3 + 1, "item %d is %d", i, numbers[i]);
}

static void wait_for(pid_t child)
{
    int status;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %#x", status);
}

static const char source[] = "kernel void k(global int *a) { size_t i = get_global_id(0); a[i] = a[i] * 3 + 1; }";

int main(void)
{
    /* A child that is made before OpenCL is used. */
    pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) {
        struct setup s = set_up(source);
        use(&s);
        _exit(0);
    }
    wait_for(child);

    struct setup s = set_up(source);
    use(&s);

    /* Children that go on with the parent's context and program, and with their own. Queues are a process's own: who served the parent's
     * stayed with the parent. */
    for (int own = 0; own < 2; own++) {
        child = fork();
        CHECK(child >= 0, "fork");
        if (child == 0) {
            alarm(60); /* a pool whose threads stayed with the parent would wait for ever */
            cl_int status;
            if (own)
                s = set_up(source);
            else
                s.queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
            use(&s);
            use(&s);
            _exit(0);
        }
        use(&s);
        wait_for(child);
    }
    use(&s);
    tear_down(&s);
    return 0;
}
