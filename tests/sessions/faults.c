/* Loaded before libc into a process that commits: tells a pipe of each write and fsync, and kills at the nth.

   arm(fd, nth): from now on each call that changes a file counts. `w` goes to the pipe after a write, `f` after an
   fsync, `t` after a truncation, `u` after a file was removed. At the nth call, half of a write is done, or the call
   is not, and the process is killed. nth 0: never. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static int pipe_fd = -1;
static long left = 0;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwrite64)(int, const void *, size_t, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_ftruncate64)(int, off64_t);
static int (*real_unlink)(const char *);

__attribute__((constructor)) static void find(void) {
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite");
  real_pwrite64 = dlsym(RTLD_NEXT, "pwrite64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
  real_ftruncate64 = dlsym(RTLD_NEXT, "ftruncate64");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
}

void arm(int fd, long nth) {
  pipe_fd = fd;
  left = nth;
}

static int last(void) { return pipe_fd >= 0 && left > 0 && --left == 0; }
static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}
static void tell(char what) {
  if (pipe_fd >= 0) real_write(pipe_fd, &what, 1);
}

ssize_t write(int fd, const void *data, size_t size) {
  if (pipe_fd < 0 || fd == pipe_fd) return real_write(fd, data, size);
  if (last()) {
    real_write(fd, data, size / 2);
    die();
  }
  ssize_t done = real_write(fd, data, size);
  tell('w');
  return done;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  if (pipe_fd < 0) return real_pwrite(fd, data, size, at);
  if (last()) {
    real_pwrite(fd, data, size / 2, at);
    die();
  }
  ssize_t done = real_pwrite(fd, data, size, at);
  tell('w');
  return done;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  if (pipe_fd < 0) return real_pwrite64(fd, data, size, at);
  if (last()) {
    real_pwrite64(fd, data, size / 2, at);
    die();
  }
  ssize_t done = real_pwrite64(fd, data, size, at);
  tell('w');
  return done;
}

int fsync(int fd) {
  if (last()) die();
  int done = real_fsync(fd);
  tell('f');
  return done;
}

int fdatasync(int fd) {
  if (last()) die();
  int done = real_fdatasync(fd);
  tell('f');
  return done;
}

int ftruncate(int fd, off_t size) {
  if (last()) die();
  int done = real_ftruncate(fd, size);
  tell('t');
  return done;
}

int ftruncate64(int fd, off64_t size) {
  if (last()) die();
  int done = real_ftruncate64(fd, size);
  tell('t');
  return done;
}

int unlink(const char *path) {
  if (last()) die();
  int done = real_unlink(path);
  tell('u');
  return done;
}
