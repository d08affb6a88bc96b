// Preloaded into programs that qemu's user mode runs: has the emulator start the programs of the same kind that they start, as the kernel
// would if it were told of the emulator (binfmt_misc, which containers rarely may set). Native programs are started as they are.
//
// EMULATOR, a macro, is the emulator's path; this library's own path comes from the dynamic linker.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
typedef int exec_function(const char *, char *const[], char *const[]);

// What is really started.
struct start {
    const char *path;
    char **arguments;
    char **environment;
};

static int is_emulated(const char *path)
{
    Elf64_Ehdr header;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t got = read(file, &header, sizeof header);
    close(file);
    return got == sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_AARCH64;
}

// The program that a name without a slash means.
static const char *find(const char *name, char place[PATH_MAX])
{
    const char *directories = getenv("PATH");
    if (strchr(name, '/') || !directories)
        return name;
    while (*directories) {
        size_t length = strcspn(directories, ":");
        snprintf(place, PATH_MAX, "%.*s/%s", (int)length, directories, name);
        if (access(place, X_OK) == 0)
            return place;
        directories += length + (directories[length] == ':');
    }
    return name;
}

static size_t count(char *const list[])
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

// The arrays stay: what calls this becomes another program, or is a test.
static struct start prepare(const char *path, char *const arguments[], char *const environment[])
{
    struct start start = {path, (char **)arguments, (char **)environment};
    Dl_info self = {0};
    dladdr((void *)prepare, &self);
    size_t kept = 0, n = count(environment);
    char **without = malloc((n + 1) * sizeof *without);
    for (size_t i = 0; i < n; i++)
        if (strncmp(environment[i], "LD_PRELOAD=", 11) != 0 || !strstr(environment[i], self.dli_fname))
            without[kept++] = environment[i];
    without[kept] = NULL;
    start.environment = without;
    if (!is_emulated(path))
        return start;
    char *preload = NULL;
    if (asprintf(&preload, "LD_PRELOAD=%s", self.dli_fname) < 0)
        return start;
    size_t given = count(arguments);
    char **all = malloc((given + 7) * sizeof *all);
    size_t at = 0;
    all[at++] = (char *)EMULATOR;
    all[at++] = (char *)"-E";
    all[at++] = preload;
    all[at++] = (char *)"-0";
    all[at++] = given ? arguments[0] : (char *)path;
    all[at++] = (char *)path;
    for (size_t i = 1; i < given; i++)
        all[at++] = arguments[i];
    all[at] = NULL;
    start.path = EMULATOR;
    start.arguments = all;
    return start;
}

int execve(const char *path, char *const arguments[], char *const environment[])
{
    exec_function *next = (exec_function *)dlsym(RTLD_NEXT, "execve");
    struct start start = prepare(path, arguments, environment);
    return next(start.path, start.arguments, start.environment);
}

int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

int execvpe(const char *name, char *const arguments[], char *const environment[])
{
    char place[PATH_MAX];
    return execve(find(name, place), arguments, environment);
}

int execvp(const char *name, char *const arguments[])
{
    return execvpe(name, arguments, environ);
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                char *const arguments[], char *const environment[])
{
    // The emulator forks where the C library shares memory with the child (CLONE_VFORK), so that what the child says of its failure is lost.
    // (What a path without a slash in front means, can depend on the child's directory.)
    if (path[0] == '/' && access(path, X_OK) != 0)
        return errno;
    spawn_function *next = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawn");
    struct start start = prepare(path, arguments, environment);
    return next(child, start.path, actions, attributes, start.arguments, start.environment);
}

int posix_spawnp(pid_t *child, const char *name, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const arguments[], char *const environment[])
{
    char place[PATH_MAX];
    const char *path = find(name, place);
    return strchr(path, '/') ? posix_spawn(child, path, actions, attributes, arguments, environment) : ENOENT;
}
