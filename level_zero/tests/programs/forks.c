// Children of a process whose other thread makes and destroys objects all the time: each finds the handles' table free.
#include "common.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_bool done;

static void make_one(void) {
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t another;
    OK(zeContextCreate(driver, &desc, &another));
    OK(zeContextDestroy(another));
}

static void *make_many(void *unused) {
    while (!done) make_one();
    return unused;
}

int main(void) {
    begin();
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, make_many, NULL));
    for (int i = 0; i < 300; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            // Who waits for ever is ended.
            alarm(20);
            make_one();
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    done = 1;
    CHECK(!pthread_join(thread, NULL));
    puts("no child waits");
    return 0;
}
