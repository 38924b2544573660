/*
 * Preloaded into the server, this records in order what it does to the files of its data folder: writes, truncations,
 * creations, removals, and what it synced. A power loss is then a reading of that record in which everything not synced may be
 * missing. RECORD_DIR is the folder, RECORD_TO the file of the record.
 *
 * A record: operation (1 byte), 3 bytes unused, path length (4), data length (4), offset or size (8), path, data; little-endian.
 * W write, T truncate, C create, U remove, R rename (data is the new path), S sync, M a shared writable mapping, which defeats recording.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static int record_fd = -1;
static const char *record_dir = "";
static size_t record_dir_length = 0;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name, result, ...) \
  static result (*real)(__VA_ARGS__) = NULL; \
  if (real == NULL) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name);

__attribute__((constructor)) static void start(void) {
  const char *to = getenv("RECORD_TO");
  const char *dir = getenv("RECORD_DIR");
  if (to == NULL || dir == NULL) return;
  record_dir = dir;
  record_dir_length = strlen(dir);
  record_fd = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int inside(const char *path) {
  return record_fd >= 0 && strncmp(path, record_dir, record_dir_length) == 0;
}

/* The path of a descriptor in the recorded folder, or 0. */
static int tracked(int fd, char *path) {
  if (record_fd < 0 || fd < 0 || fd == record_fd) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return inside(path);
}

static void append(char operation, const char *path, uint64_t offset, const void *data, uint32_t bytes) {
  unsigned char head[20] = {0};
  uint32_t path_bytes = (uint32_t)strlen(path);
  head[0] = (unsigned char)operation;
  memcpy(head + 4, &path_bytes, 4);
  memcpy(head + 8, &bytes, 4);
  memcpy(head + 12, &offset, 8);
  struct iovec parts[3] = {{head, 20}, {(void *)path, path_bytes}, {(void *)data, bytes}};
  /* A record that is cut off would make a loss look like none. */
  if (writev(record_fd, parts, 3) != (ssize_t)(20 + path_bytes + bytes)) abort();
}

#define RECORDED(fd, call, operation, offset, data, bytes) \
  char path[PATH_MAX]; \
  if (!tracked(fd, path)) return call; \
  pthread_mutex_lock(&lock); \
  __auto_type result = call; \
  if (result >= 0) append(operation, path, offset, data, bytes); \
  pthread_mutex_unlock(&lock); \
  return result;

ssize_t write(int fd, const void *data, size_t bytes) {
  REAL("write", ssize_t, int, const void *, size_t)
  off_t at = record_fd >= 0 ? lseek(fd, 0, SEEK_CUR) : -1;
  RECORDED(fd, real(fd, data, bytes), 'W', (uint64_t)at, data, (uint32_t)result)
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at) {
  REAL("pwrite", ssize_t, int, const void *, size_t, off_t)
  RECORDED(fd, real(fd, data, bytes, at), 'W', (uint64_t)at, data, (uint32_t)result)
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t at) {
  REAL("pwrite64", ssize_t, int, const void *, size_t, off64_t)
  RECORDED(fd, real(fd, data, bytes, at), 'W', (uint64_t)at, data, (uint32_t)result)
}

int ftruncate(int fd, off_t size) {
  REAL("ftruncate", int, int, off_t)
  RECORDED(fd, real(fd, size), 'T', (uint64_t)size, NULL, 0)
}

int ftruncate64(int fd, off64_t size) {
  REAL("ftruncate64", int, int, off64_t)
  RECORDED(fd, real(fd, size), 'T', (uint64_t)size, NULL, 0)
}

int fsync(int fd) {
  REAL("fsync", int, int)
  RECORDED(fd, real(fd), 'S', 0, NULL, 0)
}

int fdatasync(int fd) {
  REAL("fdatasync", int, int)
  RECORDED(fd, real(fd), 'S', 0, NULL, 0)
}

int unlink(const char *path) {
  REAL("unlink", int, const char *)
  int result = real(path);
  if (result == 0 && inside(path)) append('U', path, 0, NULL, 0);
  return result;
}

int rename(const char *from, const char *to) {
  REAL("rename", int, const char *, const char *)
  int result = real(from, to);
  if (result == 0 && inside(from)) append('R', from, 0, to, (uint32_t)strlen(to));
  return result;
}

#define OPENED(name) \
  mode_t mode = 0; \
  if (flags & O_CREAT) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  } \
  REAL(name, int, const char *, int, ...) \
  int fd = real(path, flags, mode); \
  if (fd >= 0 && (flags & O_CREAT) && inside(path)) append('C', path, 0, NULL, 0); \
  if (fd >= 0 && (flags & O_TRUNC) && inside(path)) append('T', path, 0, NULL, 0); \
  return fd;

int open(const char *path, int flags, ...) { OPENED("open") }
int open64(const char *path, int flags, ...) { OPENED("open64") }

#define MAPPED(name, offset) \
  REAL(name, void *, void *, size_t, int, int, int, offset) \
  char path[PATH_MAX]; \
  if ((flags & MAP_SHARED) && (protection & PROT_WRITE) && tracked(fd, path)) append('M', path, 0, NULL, 0); \
  return real(address, bytes, protection, flags, fd, at);

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t at) { MAPPED("mmap", off_t) }
void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off64_t at) { MAPPED("mmap64", off64_t) }
