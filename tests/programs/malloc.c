/* A host that replaces the C library's allocator. What is freed or measured must have come from here, and what is freed is overwritten:
 * a driver that mixes allocators, or uses what it gave back, is found out. */

#include "common.h"
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct header {
    size_t size;
    uint64_t magic;
};

enum { ALIGNMENT = 16, POISON = 0xdd };
static const uint64_t LIVING = 0x6c6976696e672121, FREED = 0x6672656564212121;
static const size_t REGION = (size_t)64 << 30;

static char *region;
static size_t used;
static int busy;

static void stop(const char *why)
{
    ssize_t written = write(2, why, strlen(why));
    (void)written;
    _exit(3);
}

static void *take(size_t size, size_t alignment)
{
    if (alignment < ALIGNMENT)
        alignment = ALIGNMENT;
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        ;
    if (!region) {
        region = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (region == MAP_FAILED)
            stop("no memory for the test's allocator\n");
    }
    size_t start = (used + sizeof(struct header) + alignment - 1) / alignment * alignment;
    used = start + size;
    if (used > REGION)
        stop("the test's allocator has run out\n");
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    struct header *header = (struct header *)(region + start) - 1;
    header->size = size;
    header->magic = LIVING;
    return region + start;
}

static struct header *header_of(void *pointer)
{
    struct header *header = (struct header *)pointer - 1;
    if ((char *)pointer < region || (char *)pointer >= region + REGION)
        stop("a pointer of another allocator was given back\n");
    if (header->magic == FREED)
        stop("a pointer was given back twice\n");
    if (header->magic != LIVING)
        stop("something that is no allocation was given back\n");
    return header;
}

void *malloc(size_t size) { return take(size, ALIGNMENT); }
void *calloc(size_t count, size_t size) { return take(count * size, ALIGNMENT); } /* fresh pages are zero, and none is used twice */
void *aligned_alloc(size_t alignment, size_t size) { return take(size, alignment); }
void *memalign(size_t alignment, size_t size) { return take(size, alignment); }
void *valloc(size_t size) { return take(size, 4096); }
size_t malloc_usable_size(void *pointer) { return pointer ? header_of(pointer)->size : 0; }

int posix_memalign(void **pointer, size_t alignment, size_t size)
{
    *pointer = take(size, alignment);
    return 0;
}

void free(void *pointer)
{
    if (!pointer)
        return;
    struct header *header = header_of(pointer);
    header->magic = FREED;
    memset(pointer, POISON, header->size);
}

void *realloc(void *pointer, size_t size)
{
    void *larger = take(size, ALIGNMENT);
    if (pointer) {
        size_t before = header_of(pointer)->size;
        memcpy(larger, pointer, before < size ? before : size);
        free(pointer);
    }
    return larger;
}

enum { N = 1000 };

int main(void)
{
    static int numbers[N];
    for (int round = 0; round < 2; round++) {
        struct setup s = set_up("kernel void k(global int *a) { size_t i = get_global_id(0); a[i] = a[i] + 1; }");
        run(&s, "k", N, numbers, sizeof numbers);
        tear_down(&s);
        for (int i = 0; i < N; i++)
            CHECK(numbers[i] == round + 1, "item %d is %d", i, numbers[i]);
    }
    return 0;
}
