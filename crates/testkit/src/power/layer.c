/* The layer between a program and its files, loaded before the C library (LD_PRELOAD): it lets every
 * call through and writes down, in their order, what was written to the files of one folder and what
 * was synced. What a power cut would have left is worked out from that by `image.rs`.
 *
 * POWER_FOLDER is the folder, absolute and without symbolic links; POWER_LOG is the file to write to.
 * The log is a sequence of records, each a `struct record` with its name and its bytes behind it. One
 * lock is held while a change is made and written down, so the log has the order of the files.
 *
 * SQLite's shared memory (`-shm`) is mapped and never synced: it is not written down, and nobody may
 * expect it after a cut. Any other writable mapping of a file in the folder would be missed, so it
 * ends the program. Memory and offsets are those of 64-bit Linux.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { START = 1, LINK, WRITE, LENGTH, SYNC, SYNC_FOLDER, UNLINK, RENAME };

struct record {
    uint32_t kind;
    uint32_t name;   /* bytes of the name behind this */
    uint64_t file;   /* inode */
    uint64_t at;     /* offset, or the new length of the file */
    uint64_t length; /* bytes of content behind the name */
};

#define DESCRIPTORS 65536
#define SHARED_MEMORY UINT64_MAX

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static size_t folder_length;
static int log_file = -1;
/* The inode behind each descriptor of a file in the folder; else 0. */
static _Atomic uint64_t files[DESCRIPTORS];

static void give_up(const char *why) {
    dprintf(2, "power layer: %s\n", why);
    abort();
}

/* Writes one record down. The lock is held, or there is one thread. */
static void note(enum kind kind, uint64_t file, uint64_t at, const char *name, size_t name_length,
                 const void *bytes, size_t length) {
    struct record record = {kind, (uint32_t)name_length, file, at, length};
    struct iovec parts[3] = {
        {&record, sizeof record}, {(void *)name, name_length}, {(void *)bytes, length}};
    ssize_t whole = (ssize_t)(sizeof record + name_length + length);
    if (syscall(SYS_writev, log_file, parts, 3) != whole) give_up("the log cannot be written");
}

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("POWER_FOLDER"), *log_path = getenv("POWER_LOG");
    if (!path || !log_path || strlen(path) >= sizeof folder) give_up("no POWER_FOLDER, POWER_LOG");
    strcpy(folder, path);
    log_file = (int)syscall(SYS_openat, AT_FDCWD, log_path,
                            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_file < 0) give_up("POWER_LOG cannot be made");
    note(START, 0, 0, "", 0, "", 0);
    folder_length = strlen(folder);
}

/* A program that ends by itself may end one thread in the middle of a change. So the last to take the
 * lock keeps it: what has been made is written down, and nothing more is made. */
__attribute__((destructor)) static void end(void) {
    pthread_mutex_lock(&lock);
}

/* The name of a path in the folder, or nothing. The folder itself has the name "". */
static const char *name_in_folder(const char *path) {
    if (!folder_length || strncmp(path, folder, folder_length) != 0) return NULL;
    path += folder_length;
    return *path == '/' ? path + 1 : *path ? NULL : path;
}

static uint64_t file_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? files[descriptor] : 0;
}

/* Remembers what has been opened. The lock is held. */
static void remember(int descriptor, int existed, int flags) {
    char link[64], path[PATH_MAX];
    struct stat status;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    const char *name = name_in_folder(path);
    if (!name || fstat(descriptor, &status) != 0) return;
    if (descriptor >= DESCRIPTORS) give_up("too many descriptors");
    size_t name_length = strlen(name);
    if (name_length > 4 && strcmp(name + name_length - 4, "-shm") == 0) {
        files[descriptor] = SHARED_MEMORY;
        return;
    }
    files[descriptor] = status.st_ino;
    if (S_ISDIR(status.st_mode)) return;
    if (!existed) note(LINK, status.st_ino, 0, name, name_length, "", 0);
    if (existed && flags & O_TRUNC) note(LENGTH, status.st_ino, 0, "", 0, "", 0);
}

static int open_at(int place, const char *path, int flags, int mode) {
    if (!folder_length) return (int)syscall(SYS_openat, place, path, flags, mode);
    pthread_mutex_lock(&lock);
    struct stat status;
    int existed = fstatat(place, path, &status, 0) == 0;
    int descriptor = (int)syscall(SYS_openat, place, path, flags, mode);
    if (descriptor >= 0) remember(descriptor, existed, flags);
    pthread_mutex_unlock(&lock);
    return descriptor;
}

#define MODE_OF(flags)                                  \
    int mode = 0;                                       \
    if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
        va_list more;                                   \
        va_start(more, flags);                          \
        mode = va_arg(more, int);                       \
        va_end(more);                                   \
    }

int open(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int place, const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(place, path, flags, mode);
}

int openat64(int place, const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(place, path, flags, mode);
}

int close(int descriptor) {
    if (file_of(descriptor)) files[descriptor] = 0;
    return (int)syscall(SYS_close, descriptor);
}

int dup2(int from, int to) {
    uint64_t file = file_of(from);
    if (to >= 0 && to < DESCRIPTORS) files[to] = file;
    else if (file) give_up("too many descriptors");
    return (int)syscall(SYS_dup3, from, to, 0);
}

static int is_recorded(uint64_t file) {
    return file && file != SHARED_MEMORY;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t at) {
    uint64_t file = file_of(descriptor);
    if (!is_recorded(file)) return syscall(SYS_pwrite64, descriptor, bytes, length, at);
    pthread_mutex_lock(&lock);
    ssize_t written = syscall(SYS_pwrite64, descriptor, bytes, length, at);
    if (written > 0) note(WRITE, file, (uint64_t)at, "", 0, bytes, (size_t)written);
    pthread_mutex_unlock(&lock);
    return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t at) {
    return pwrite64(descriptor, bytes, length, at);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    uint64_t file = file_of(descriptor);
    if (!is_recorded(file)) return syscall(SYS_write, descriptor, bytes, length);
    pthread_mutex_lock(&lock);
    ssize_t written = syscall(SYS_write, descriptor, bytes, length);
    if (written > 0) {
        /* Where it ended, also with O_APPEND. */
        off_t end = lseek(descriptor, 0, SEEK_CUR);
        note(WRITE, file, (uint64_t)(end - written), "", 0, bytes, (size_t)written);
    }
    pthread_mutex_unlock(&lock);
    return written;
}

int ftruncate64(int descriptor, off64_t length) {
    uint64_t file = file_of(descriptor);
    if (!is_recorded(file)) return (int)syscall(SYS_ftruncate, descriptor, length);
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_ftruncate, descriptor, length);
    if (result == 0) note(LENGTH, file, (uint64_t)length, "", 0, "", 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate(int descriptor, off_t length) {
    return ftruncate64(descriptor, length);
}

/* A sync reaches the disk in this account alone, so that a test is as fast on any disk. */
static int sync_file(int descriptor, long call) {
    uint64_t file = file_of(descriptor);
    if (!is_recorded(file)) return (int)syscall(call, descriptor);
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    pthread_mutex_lock(&lock);
    note(S_ISDIR(status.st_mode) ? SYNC_FOLDER : SYNC, file, 0, "", 0, "", 0);
    pthread_mutex_unlock(&lock);
    return 0;
}

int fsync(int descriptor) {
    return sync_file(descriptor, SYS_fsync);
}

int fdatasync(int descriptor) {
    return sync_file(descriptor, SYS_fdatasync);
}

int unlinkat(int place, const char *path, int flags) {
    const char *name = name_in_folder(path);
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_unlinkat, place, path, flags);
    if (result == 0 && name) note(UNLINK, 0, 0, name, strlen(name), "", 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to) {
    const char *old = name_in_folder(from), *new = name_in_folder(to);
    if (!old != !new) give_up("a file is moved into or out of the folder");
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (result == 0 && old) note(RENAME, 0, 0, old, strlen(old), new, strlen(new));
    pthread_mutex_unlock(&lock);
    return result;
}

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t at) {
    if (is_recorded(file_of(descriptor)) && flags & MAP_SHARED && protection & PROT_WRITE)
        give_up("a file other than shared memory is written through a mapping");
    return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, at);
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t at) {
    return mmap64(address, length, protection, flags, descriptor, at);
}
