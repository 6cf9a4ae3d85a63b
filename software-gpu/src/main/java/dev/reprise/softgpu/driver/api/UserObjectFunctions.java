package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.UserObject;
import dev.reprise.softgpu.driver.operation.HostCall;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/** User objects: resources of the caller that graphs keep alive. */
final class UserObjectFunctions extends Functions {

  private static final int NO_DESTRUCTOR_SYNC = 1;
  private static final int MOVE = 1;

  UserObjectFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuUserObjectCreate(
      MemorySegment objectOut, MemorySegment ptr, MemorySegment destroy, int count, int flags) {
    gpu().device();
    CallerMemory.required(objectOut, "object_out");
    CallerMemory.required(destroy, "destroy");
    checkCount(count);
    if (flags != NO_DESTRUCTOR_SYNC) {
      throw CudaFailure.invalidValue(
          "flags " + flags + "; CU_USER_OBJECT_NO_DESTRUCTOR_SYNC is required");
    }
    UserObject object =
        new UserObject(handles(), gpu().callbacks(), new HostCall(destroy, ptr), count);
    CallerMemory.writeLong(objectOut, "object_out", handles().publish(object).handle());
    return SUCCESS;
  }

  int cuUserObjectRetain(MemorySegment object, int count) {
    checkCount(count);
    GraphHandles.userObject(this, object).retain(count);
    return SUCCESS;
  }

  int cuUserObjectRelease(MemorySegment object, int count) {
    checkCount(count);
    GraphHandles.userObject(this, object).release(count);
    return SUCCESS;
  }

  int cuGraphRetainUserObject(MemorySegment hGraph, MemorySegment object, int count, int flags) {
    Graph graph = GraphHandles.graph(this, hGraph, "graph");
    UserObject userObject = GraphHandles.userObject(this, object);
    checkCount(count);
    if (flags != 0 && flags != MOVE) {
      throw CudaFailure.invalidValue("flags " + flags + "; they are 0 or 1 (move)");
    }
    if (flags != MOVE) {
      userObject.retain(count);
    }
    graph.own(userObject, count);
    return SUCCESS;
  }

  int cuGraphReleaseUserObject(MemorySegment hGraph, MemorySegment object, int count) {
    checkCount(count);
    GraphHandles.graph(this, hGraph, "graph").release(GraphHandles.userObject(this, object), count);
    return SUCCESS;
  }

  private static void checkCount(int count) {
    if (count <= 0) {
      throw CudaFailure.invalidValue(Integer.toUnsignedString(count) + " references");
    }
  }
}
