package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The program's reference to a user object of the driver; graphs have their own. */
final class UserObjectHandle extends DriverHandle {

  private UserObjectHandle(String label, DeviceHandle device, MemorySegment value) {
    super(ResourceKind.USER_OBJECT, label, device.context(), value, List.of(device));
  }

  /** Makes one; the caller has retained the device for it. */
  static UserObjectHandle create(String label, DeviceHandle device, AutoCloseable resource) {
    Context context = device.context();
    long id = Destructors.register(new Destructor(label, resource, context.retirement()));
    try {
      MemorySegment value = UserObjectCalls.create(context, label, MemorySegment.ofAddress(id));
      return new UserObjectHandle(label, device, value);
    } catch (Throwable e) {
      Destructors.forget(id);
      throw e;
    }
  }

  @Override
  protected void destroy() {
    UserObjectCalls.release(context(), label(), value());
  }
}
