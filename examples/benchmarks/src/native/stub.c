/*
 * A driver library that does nothing: it has one device, hands out made-up handles and counts launches, so that what a
 * launch costs through a binding is that binding's own cost. Only what the benchmarks call is here; every other function
 * of a driver answers "not supported" (801), see the build script.
 *
 * A launch of the kernel "step" reads its fourth argument, which the benchmarks change from launch to launch: what it
 * last saw tells whether arguments really arrive. Memory is real and zeroed, and copies and fills leave it so.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, CUDA_12_2 = 12020, CHANGED_ARGUMENT = 3 };
enum { MULTIPROCESSORS = 16, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

uint64_t stub_launches;
uint64_t stub_graph_launches;
uint64_t stub_contexts_set;
int32_t stub_argument;

static char made_up;
static char step;

static int handle(void **out) {
  *out = &made_up;
  return SUCCESS;
}

int cuInit(unsigned flags) { return flags == 0 ? SUCCESS : INVALID_VALUE; }

int cuDriverGetVersion(int *out) {
  *out = CUDA_12_2;
  return SUCCESS;
}

int cuDeviceGetCount(int *out) {
  *out = 1;
  return SUCCESS;
}

int cuDeviceGet(int *out, int ordinal) {
  *out = ordinal;
  return ordinal == 0 ? SUCCESS : INVALID_VALUE;
}

int cuDeviceGetAttribute(int *out, int attribute, int device) {
  (void)device;
  /* 0 for the others, among them: it has no memory pools */
  *out = attribute == MULTIPROCESSORS ? 100 : attribute == CAPABILITY_MAJOR ? 8 : attribute == CAPABILITY_MINOR ? 0 : 0;
  return SUCCESS;
}

int cuDeviceGetName(char *out, int bytes, int device) {
  (void)device;
  snprintf(out, (size_t)bytes, "nothing");
  return SUCCESS;
}

int cuDeviceGetUuid(unsigned char *out, int device) {
  (void)device;
  memset(out, 0, 16);
  return SUCCESS;
}

int cuDeviceGetUuid_v2(unsigned char *out, int device) { return cuDeviceGetUuid(out, device); }

int cuDevicePrimaryCtxRetain(void **out, int device) {
  (void)device;
  return handle(out);
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  return SUCCESS;
}

int cuCtxSetCurrent(void *context) {
  stub_contexts_set++;
  return context != NULL ? SUCCESS : INVALID_VALUE;
}

int cuStreamCreate(void **out, unsigned flags) {
  (void)flags;
  return handle(out);
}

int cuStreamCreateWithPriority(void **out, unsigned flags, int priority) {
  (void)flags, (void)priority;
  return handle(out);
}

int cuStreamSynchronize(void *stream) {
  (void)stream;
  return SUCCESS;
}

int cuStreamDestroy_v2(void *stream) {
  (void)stream;
  return SUCCESS;
}

int cuEventCreate(void **out, unsigned flags) {
  (void)flags;
  return handle(out);
}

int cuEventRecord(void *event, void *stream) {
  (void)event, (void)stream;
  return SUCCESS;
}

int cuEventQuery(void *event) {
  (void)event;
  return SUCCESS;
}

int cuEventSynchronize(void *event) {
  (void)event;
  return SUCCESS;
}

int cuEventDestroy_v2(void *event) {
  (void)event;
  return SUCCESS;
}

int cuMemAlloc_v2(uint64_t *out, size_t bytes) {
  *out = (uint64_t)(uintptr_t)calloc(1, bytes);
  return SUCCESS;
}

int cuMemFree_v2(uint64_t address) {
  free((void *)(uintptr_t)address);
  return SUCCESS;
}

int cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
  (void)flags;
  *out = calloc(1, bytes);
  return SUCCESS;
}

int cuMemHostGetDevicePointer_v2(uint64_t *out, void *host, unsigned flags) {
  (void)flags;
  *out = (uint64_t)(uintptr_t)host;
  return SUCCESS;
}

int cuMemFreeHost(void *host) {
  free(host);
  return SUCCESS;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *all_bytes) {
  *free_bytes = *all_bytes = (size_t)1 << 34;
  return SUCCESS;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  (void)to, (void)from, (void)bytes, (void)stream;
  return SUCCESS;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  (void)to, (void)from, (void)bytes, (void)stream;
  return SUCCESS;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  (void)to, (void)from, (void)bytes, (void)stream;
  return SUCCESS;
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  (void)to, (void)value, (void)count, (void)stream;
  return SUCCESS;
}

int cuModuleLoadData(void **out, const void *image) {
  (void)image;
  return handle(out);
}

int cuModuleLoadDataEx(void **out, const void *image, unsigned count, int *options, void **values) {
  (void)image, (void)count, (void)options, (void)values;
  return handle(out);
}

int cuModuleUnload(void *module) {
  (void)module;
  return SUCCESS;
}

int cuModuleGetFunction(void **out, void *module, const char *name) {
  (void)module;
  *out = strcmp(name, "step") == 0 ? &step : &made_up;
  return SUCCESS;
}

int cuFuncGetAttribute(int *out, int attribute, void *function) {
  (void)attribute, (void)function;
  *out = 1024; /* above all: threads of a block */
  return SUCCESS;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
                   void **extra) {
  (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
  (void)shared_bytes, (void)stream, (void)extra;
  stub_launches++;
  if (function == &step) {
    stub_argument = *(int32_t *)arguments[CHANGED_ARGUMENT];
  }
  return SUCCESS;
}

int cuThreadExchangeStreamCaptureMode(int *mode) {
  (void)mode;
  return SUCCESS;
}

int cuStreamBeginCapture_v2(void *stream, int mode) {
  (void)stream, (void)mode;
  return SUCCESS;
}

/* A capture without nodes: what a launch became is not asked for. */
int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph, void **nodes, size_t *count) {
  (void)stream, (void)id, (void)graph, (void)nodes;
  *status = 1; /* CU_STREAM_CAPTURE_STATUS_ACTIVE */
  *count = 0;
  return SUCCESS;
}

int cuStreamEndCapture(void *stream, void **graph) {
  (void)stream;
  return handle(graph);
}

int cuGraphCreate(void **out, unsigned flags) {
  (void)flags;
  return handle(out);
}

int cuGraphGetNodes(void *graph, void **nodes, size_t *count) {
  (void)graph, (void)nodes;
  *count = 0;
  return SUCCESS;
}

int cuGraphInstantiateWithFlags(void **out, void *graph, uint64_t flags) {
  (void)graph, (void)flags;
  return handle(out);
}

int cuGraphInstantiateWithParams(void **out, void *graph, void *params) {
  (void)graph, (void)params;
  return handle(out);
}

int cuGraphUpload(void *exec, void *stream) {
  (void)exec, (void)stream;
  return SUCCESS;
}

int cuGraphLaunch(void *exec, void *stream) {
  (void)exec, (void)stream;
  stub_graph_launches++;
  return SUCCESS;
}

int cuGraphExecDestroy(void *exec) {
  (void)exec;
  return SUCCESS;
}

int cuGraphDestroy(void *graph) {
  (void)graph;
  return SUCCESS;
}
