package dev.reprise.cuda;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Graph Management", about user objects. */
final class UserObjectCalls {

  private UserObjectCalls() {}

  static MemorySegment create(Context context, String label, MemorySegment userData) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code =
        cuda_h.cuUserObjectCreate(
            scratch.first,
            userData,
            Destructors.STUB,
            1,
            cuda_h.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC());
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuUserObjectCreate", "label", label);
    }
    return scratch.firstHandle();
  }

  static void release(Context context, String label, MemorySegment object) {
    context.makeCurrent();
    int code = cuda_h.cuUserObjectRelease(object, 1);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuUserObjectRelease", "object", label);
    }
  }

  static void retain(Context context, MemorySegment graph, String label, UserObjectHandle object) {
    context.makeCurrent();
    int code = cuda_h.cuGraphRetainUserObject(graph, object.value(), 1, 0);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphRetainUserObject", "graph", label, "object", object.label());
    }
  }

  static void release(Context context, MemorySegment graph, String label, UserObjectHandle object) {
    context.makeCurrent();
    int code = cuda_h.cuGraphReleaseUserObject(graph, object.value(), 1);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphReleaseUserObject", "graph", label, "object", object.label());
    }
  }
}
