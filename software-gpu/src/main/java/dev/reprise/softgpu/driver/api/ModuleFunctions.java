package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.operation.LoadedImage;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.LoadedModule;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import dev.reprise.softgpu.memory.OutOfDeviceMemoryException;
import dev.reprise.softgpu.ptx.PtxException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;

/** Module management. Images are PTX text; machine code of NVIDIA devices cannot run here. */
final class ModuleFunctions extends Functions {

  private static final int ELF_MAGIC = 0x464c457f;
  private static final int FAT_BINARY_MAGIC = 0xba55ed50;
  private static final int FAT_BINARY_WRAPPER_MAGIC = 0x466243b1;
  private static final int EAGER_LOADING = 1;

  ModuleFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuModuleLoadData(MemorySegment module, MemorySegment image) {
    return load(module, image, JitOptions.read(0, MemorySegment.NULL, MemorySegment.NULL));
  }

  int cuModuleLoadDataEx(
      MemorySegment module,
      MemorySegment image,
      int count,
      MemorySegment options,
      MemorySegment values) {
    context();
    return load(module, image, JitOptions.read(count, options, values));
  }

  int cuModuleLoad(MemorySegment module, MemorySegment fname) {
    context();
    String name = CallerMemory.readString(fname, "fname");
    String ptx;
    try {
      ptx = Files.readString(Path.of(name));
    } catch (IOException e) {
      throw new CudaFailure(Result.FILE_NOT_FOUND, "cannot read " + name + ": " + e.getMessage());
    }
    return load(module, ptx, JitOptions.read(0, MemorySegment.NULL, MemorySegment.NULL));
  }

  private int load(MemorySegment module, MemorySegment image, JitOptions options) {
    context();
    long address = CallerMemory.required(image, "image");
    int magic = CallerMemory.readInt(address);
    if (magic == ELF_MAGIC || magic == FAT_BINARY_MAGIC || magic == FAT_BINARY_WRAPPER_MAGIC) {
      String why = "the image is machine code or a fat binary; the software GPU loads PTX text";
      options.writeError(why);
      throw new CudaFailure(Result.NO_BINARY_FOR_GPU, why);
    }
    return load(module, HostMemory.ALL.getString(address), options);
  }

  private int load(MemorySegment module, String ptx, JitOptions options) {
    Context context = context();
    CallerMemory.required(module, "module");
    guard().checkUnsafe(thread(), "loading a module");
    LoadedImage image;
    try {
      PtxHeader header = PtxHeader.read(ptx);
      LoadedModule loaded = LoadedModule.load(ptx, memory(context).space());
      image = new LoadedImage(handles(), loaded, header.version(), DeviceModel.SHARED_PER_BLOCK);
    } catch (PtxException e) {
      options.writeError("PTX error, " + e.getMessage());
      throw new CudaFailure(Result.INVALID_PTX, String.valueOf(e.getMessage()));
    } catch (OutOfDeviceMemoryException e) {
      throw new CudaFailure(Result.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
    } catch (CudaFailure e) {
      options.writeError(String.valueOf(e.getMessage()));
      throw e;
    }
    context.addImage(image);
    options.writeInfo("");
    options.writeError("");
    CallerMemory.writeLong(module, "module", image.handle());
    return SUCCESS;
  }

  int cuModuleUnload(MemorySegment hmod) {
    Context context = contextEvenIfPoisoned();
    LoadedImage image = image(hmod);
    guard().checkUnsafe(thread(), "unloading a module");
    context.unload(image);
    return context.result().code();
  }

  int cuModuleGetLoadingMode(MemorySegment mode) {
    gpu().device();
    CallerMemory.writeInt(mode, "mode", EAGER_LOADING);
    return SUCCESS;
  }

  int cuModuleGetFunction(MemorySegment hfunc, MemorySegment hmod, MemorySegment name) {
    context();
    LoadedImage image = image(hmod);
    CallerMemory.required(hfunc, "hfunc");
    KernelFunction function = image.function(CallerMemory.readString(name, "name"));
    CallerMemory.writeLong(hfunc, "hfunc", function.handle());
    return SUCCESS;
  }

  int cuModuleGetFunctionCount(MemorySegment count, MemorySegment mod) {
    context();
    CallerMemory.writeInt(count, "count", image(mod).functions().size());
    return SUCCESS;
  }

  int cuModuleEnumerateFunctions(MemorySegment functions, int count, MemorySegment mod) {
    context();
    LoadedImage image = image(mod);
    long address = CallerMemory.required(functions, "functions");
    Iterator<KernelFunction> all = image.functions().iterator();
    for (int i = 0; i < count && all.hasNext(); i++) {
      HostMemory.ALL.set(JAVA_LONG_UNALIGNED, address + (long) i * Long.BYTES, all.next().handle());
    }
    return SUCCESS;
  }

  int cuModuleGetGlobal_v2(
      MemorySegment dptr, MemorySegment bytes, MemorySegment hmod, MemorySegment name) {
    context();
    LoadedImage image = image(hmod);
    String wanted = CallerMemory.readString(name, "name");
    Allocation allocation = image.module().global(wanted);
    if (allocation == null) {
      throw new CudaFailure(Result.NOT_FOUND, "no variable '" + wanted + "' in " + image);
    }
    CallerMemory.writeLongIfWanted(dptr, allocation.base());
    CallerMemory.writeLongIfWanted(bytes, allocation.size());
    return SUCCESS;
  }

  private LoadedImage image(MemorySegment handle) {
    return handles().require(handle.address(), LoadedImage.class, "hmod");
  }
}
