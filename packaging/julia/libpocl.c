/* PoCL's prefixed entry points (POclGetPlatformIDs, …) for the functions of libbrolga.so beside this library: what Julia's pocl_standalone_jll has as
 * libpocl. functions.h is the list of these functions, FUNCTION(name) for each; build.sh makes it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
#define FUNCTION(name) INDEX_##name,
#include "functions.h"
#undef FUNCTION
    COUNT
};

/* Where each call goes on. */
__attribute__((visibility("hidden"))) void *brolga_functions[COUNT];

/* An entry point changes no register that arguments are in. */
#define FUNCTION(name)                                                                                                                               \
    __attribute__((naked, visibility("default"))) void PO##name(void)                                                                                \
    {                                                                                                                                                \
        __asm__("jmp *brolga_functions+8*%c0(%%rip)" ::"i"(INDEX_##name));                                                                           \
    }
#include "functions.h"
#undef FUNCTION

/* Without the driver nothing here can work, and no function has a way to say so: the process is told, and ends. */
__attribute__((noreturn)) static void fail(const char *why)
{
    fprintf(stderr, "libpocl (Brolga): %s\n", why ? why : "cannot find itself");
    abort();
}

__attribute__((constructor)) static void find_functions(void)
{
    static const char *const names[COUNT] = {
#define FUNCTION(name) #name,
#include "functions.h"
#undef FUNCTION
    };
    Dl_info self;
    char path[PATH_MAX];
    const char *slash;
    if (!dladdr((void *)find_functions, &self) || !(slash = strrchr(self.dli_fname, '/'))) {
        fail(NULL);
    }
    snprintf(path, sizeof path, "%.*s/libbrolga.so", (int)(slash - self.dli_fname), self.dli_fname);
    /* By name and not by linking: an ICD loader in the process has functions of the same names. */
    void *driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        fail(dlerror());
    }
    for (int index = 0; index < COUNT; index++) {
        if (!(brolga_functions[index] = dlsym(driver, names[index]))) {
            fail(dlerror());
        }
    }
}
