package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

/** Hidden classes of this package, each with one instance. */
final class GeneratedClass {
  private GeneratedClass() {}

  /** How a class of that simple name is referred to in its own code. */
  static ClassDesc desc(String name) {
    return ClassDesc.of(GeneratedClass.class.getPackageName(), name);
  }

  /**
   * An instance of a new class.
   *
   * @param type the interface that it implements
   * @param methods adds its methods
   */
  static <T> T instance(String name, Class<T> type, Consumer<ClassBuilder> methods) {
    byte[] bytes =
        ClassFile.of()
            .build(
                desc(name),
                c -> {
                  c.withInterfaceSymbols(RunCompiler.desc(type));
                  c.withMethodBody(
                      "<init>",
                      MethodTypeDesc.of(CD_void),
                      ClassFile.ACC_PUBLIC,
                      b ->
                          b.aload(0)
                              .invokespecial(CD_Object, "<init>", MethodTypeDesc.of(CD_void))
                              .return_());
                  methods.accept(c);
                });
    try {
      Class<?> hidden = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
      return type.cast(hidden.getDeclaredConstructor().newInstance());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("generated code cannot be loaded", e);
    }
  }
}
