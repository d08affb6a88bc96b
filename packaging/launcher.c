/* The command `brolga`: its work is a function of the driver's library, so that a package carries the compiler once. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "brolga_main") : NULL;
    if (!run) {
        fprintf(stderr, "brolga: %s\n", dlerror());
        return 70;
    }
    return run(argc, argv);
}
