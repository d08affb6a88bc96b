// Preloaded into a program: pages have KIBIBYTES KiB (a macro: 16 or 64, as on many an aarch64). The program is told so, memory comes at such multiples, what is asked for in
// smaller pieces is refused, and lengths are whole pages, so that what belongs to the neighbour is met. (qemu's user mode has an option that says so to
// the program, but goes on mapping pages of 4 KiB.) What the C library maps for itself is not seen.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = KIBIBYTES << 10 };

static int is_whole(uint64_t number)
{
    return number % PAGE == 0;
}

static size_t whole(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static int refused(void)
{
    errno = EINVAL;
    return -1;
}

long sysconf(int name)
{
    long (*next)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    return name == _SC_PAGESIZE ? PAGE : next(name);
}

int getpagesize(void)
{
    return PAGE;
}

int munmap(void *start, size_t bytes)
{
    int (*next)(void *, size_t) = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
    return is_whole((uintptr_t)start) ? next(start, whole(bytes)) : refused();
}

int mprotect(void *start, size_t bytes, int protection)
{
    int (*next)(void *, size_t, int) = (int (*)(void *, size_t, int))dlsym(RTLD_NEXT, "mprotect");
    return is_whole((uintptr_t)start) ? next(start, whole(bytes), protection) : refused();
}

int madvise(void *start, size_t bytes, int advice)
{
    int (*next)(void *, size_t, int) = (int (*)(void *, size_t, int))dlsym(RTLD_NEXT, "madvise");
    return is_whole((uintptr_t)start) ? next(start, whole(bytes), advice) : refused();
}

void *mmap(void *start, size_t bytes, int protection, int flags, int file, off_t offset)
{
    void *(*next)(void *, size_t, int, int, int, off_t) = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    int (*unmap)(void *, size_t) = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
    int is_fixed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
    if (!is_whole((uint64_t)offset) || (is_fixed && !is_whole((uintptr_t)start))) {
        refused();
        return MAP_FAILED;
    }
    size_t length = whole(bytes);
    if (is_fixed || length < bytes || length > SIZE_MAX - PAGE)
        return next(start, is_fixed ? length : bytes, protection, flags, file, offset);
    // First the addresses, then what is to be there: a file begins where it is told to.
    char *got = next(NULL, length + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED)
        return got;
    size_t head = whole((uintptr_t)got) - (uintptr_t)got;
    char *place = next(got + head, length, protection, flags | MAP_FIXED, file, offset);
    if (head != 0)
        unmap(got, head);
    if (head != PAGE)
        unmap(got + head + length, PAGE - head);
    if (place == MAP_FAILED)
        unmap(got + head, length);
    return place;
}

void *mmap64(void *start, size_t bytes, int protection, int flags, int file, off64_t offset)
{
    return mmap(start, bytes, protection, flags, file, offset);
}
