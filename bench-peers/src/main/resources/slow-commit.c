/*
 * Makes each flush to disk take longer, as on a network volume: a library to preload into PostgreSQL.
 * SLOW_COMMIT_MICROS says by how much. Which of the two calls flushes the write-ahead log is up to
 * wal_sync_method.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static void wait_as_the_volume_would(void) {
  const char *micros = getenv("SLOW_COMMIT_MICROS");
  long wait = micros == NULL ? 0 : atol(micros);
  struct timespec left = {wait / 1000000, wait % 1000000 * 1000};
  int kept = errno;
  while (nanosleep(&left, &left) == -1 && errno == EINTR) {
  }
  errno = kept;
}

static int flush_slowly(const char *name, int file) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = flush(file);
  wait_as_the_volume_would();
  return result;
}

int fdatasync(int file) { return flush_slowly("fdatasync", file); }

int fsync(int file) { return flush_slowly("fsync", file); }
