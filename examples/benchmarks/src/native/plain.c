/*
 * The calls of the benchmarks in plain C. Built twice: with LINKED the functions come from libcuda.so.1 by direct link,
 * as in a C program for the driver API; without it from the library of the first argument by dlopen and dlsym.
 *
 *   plain LIBRARY OPERATION WARMUPS ITERATIONS MILLISECONDS    prints the nanoseconds per operation of each iteration
 *   plain LIBRARY OPERATION start                              does it once, prints a byte
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef LINKED
#define DRIVER(result, name, ...) extern result name(__VA_ARGS__)
#define FIND(name)
#else
#define DRIVER(result, name, ...) static result (*name)(__VA_ARGS__)
#define FIND(name) *(void **)&name = find(#name)
#endif

DRIVER(int, cuInit, unsigned);
DRIVER(int, cuDriverGetVersion, int *);
DRIVER(int, cuDeviceGet, int *, int);
DRIVER(int, cuDevicePrimaryCtxRetain, void **, int);
DRIVER(int, cuCtxSetCurrent, void *);
DRIVER(int, cuStreamCreate, void **, unsigned);
DRIVER(int, cuMemAlloc_v2, uint64_t *, size_t);
DRIVER(int, cuModuleLoadData, void **, const void *);
DRIVER(int, cuModuleGetFunction, void **, void *, const char *);
DRIVER(int, cuGraphCreate, void **, unsigned);
DRIVER(int, cuGraphInstantiateWithFlags, void **, void *, uint64_t);
DRIVER(int, cuGraphLaunch, void *, void *);
DRIVER(int, cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
       void **);

static void *library;
static void *context, *stream, *module, *function, *graph, *exec;
static uint64_t x, y;
static float factor = 2;
static int32_t position;
static void *arguments[] = {&y, &x, &factor, &position};
static int version;

static void fail(const char *what) {
  fprintf(stderr, "plain: %s\n", what);
  exit(1);
}

static void *find(const char *name) {
  void *found = dlsym(library, name);
  if (found == NULL) fail(dlerror());
  return found;
}

static void check(int code, const char *call) {
  if (code != 0) {
    fprintf(stderr, "plain: %s answers %d\n", call, code);
    exit(1);
  }
}
#define CHECK(call) check(call, #call)

static void open_library(const char *path) {
#ifdef LINKED
  (void)path;
  library = RTLD_DEFAULT;
#else
  library = dlopen(path, RTLD_LAZY);
  if (library == NULL) fail(dlerror());
#endif
  FIND(cuInit);
  FIND(cuDriverGetVersion);
  FIND(cuDeviceGet);
  FIND(cuDevicePrimaryCtxRetain);
  FIND(cuCtxSetCurrent);
  FIND(cuStreamCreate);
  FIND(cuMemAlloc_v2);
  FIND(cuModuleLoadData);
  FIND(cuModuleGetFunction);
  FIND(cuGraphCreate);
  FIND(cuGraphInstantiateWithFlags);
  FIND(cuGraphLaunch);
  FIND(cuLaunchKernel);
}

static void open_device(void) {
  int device;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuStreamCreate(&stream, 1));
  CHECK(cuMemAlloc_v2(&x, 1024));
  CHECK(cuMemAlloc_v2(&y, 1024));
  CHECK(cuModuleLoadData(&module, ""));
  CHECK(cuModuleGetFunction(&function, module, "step"));
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
}

static int launch(void) {
  position++;
  return cuLaunchKernel(function, 32, 1, 1, 128, 1, 1, 0, stream, arguments, NULL);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* As many calls as fit; the clock is asked once in 1000. */
#define MEASURE(call)                            \
  do {                                           \
    for (int i = 0; i < 1000; i++) failed |= (call); \
    count += 1000;                               \
    end = now();                                 \
  } while (end < until)

static double measure(const char *operation, double nanoseconds) {
  double begin = now(), until = begin + nanoseconds, end;
  long count = 0;
  int failed = 0;
  if (strcmp(operation, "downcall") == 0) {
    MEASURE(cuDriverGetVersion(&version));
  } else if (strcmp(operation, "launch") == 0) {
    MEASURE(launch());
  } else if (strcmp(operation, "launchWithCurrent") == 0) {
    MEASURE(cuCtxSetCurrent(context) | launch());
  } else if (strcmp(operation, "graphLaunch") == 0) {
    MEASURE(cuGraphLaunch(exec, stream));
  } else if (strcmp(operation, "graphLaunchWithCurrent") == 0) {
    MEASURE(cuCtxSetCurrent(context) | cuGraphLaunch(exec, stream));
  } else {
    fail("no such operation");
  }
  check(failed, operation);
  return (end - begin) / (double)count;
}

/* The stub counts; a binding that called nothing, or passed no arguments, would be caught. */
static void check_counts(const char *operation) {
  if (strncmp(operation, "launch", 6) == 0 && *(int32_t *)find("stub_argument") != position)
    fail("the launches did not arrive");
  if (strncmp(operation, "graph", 5) == 0 && *(uint64_t *)find("stub_graph_launches") == 0)
    fail("the graph launches did not arrive");
}

int main(int argc, char **argv) {
  if (argc < 4) fail("needs LIBRARY OPERATION and start, or WARMUPS ITERATIONS MILLISECONDS");
  const char *operation = argv[2];
  open_library(argv[1]);
  int needs_device = strcmp(operation, "downcall") != 0;
  if (needs_device) open_device();
  if (strcmp(argv[3], "start") == 0) {
    CHECK(needs_device ? launch() : cuDriverGetVersion(&version));
    if (write(1, "!", 1) != 1) fail("cannot write");
    return 0;
  }
  if (argc != 6) fail("needs WARMUPS ITERATIONS MILLISECONDS");
  int warmups = atoi(argv[3]), iterations = atoi(argv[4]);
  double nanoseconds = atof(argv[5]) * 1e6;
  for (int i = 0; i < warmups + iterations; i++) {
    double each = measure(operation, nanoseconds);
    if (i >= warmups) printf("%.4f\n", each);
  }
  check_counts(operation);
  return 0;
}
