package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

/** Hidden classes of this package, each with one instance. */
final class GeneratedClass {
  /**
   * Bytes of code from which on the JIT inlines a method nowhere (FreqInlineSize). It stops to
   * inline what a method calls once it has become large, and vectors would become objects then; so
   * each loop that uses the Vector API is to be compiled for itself.
   */
  private static final int NEVER_INLINED = 326;

  /** Turns of an empty loop. */
  private static final int TURNS = 24;

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

  /**
   * Begins a method that uses the Vector API: the JIT does not inline it, and compiles it after
   * some 900 calls instead of some 3,300, since it counts the turns of an empty loop, which it then
   * leaves out.
   */
  static void forItself(CodeBuilder b) {
    for (int k = 0; k < NEVER_INLINED; k++) {
      b.nop();
    }
    int turn = b.allocateLocal(TypeKind.INT);
    Label top = b.newLabel();
    Label end = b.newLabel();
    b.iconst_0().istore(turn);
    b.labelBinding(top);
    b.iload(turn).loadConstant(TURNS).if_icmpge(end);
    b.iinc(turn, 1).goto_(top);
    b.labelBinding(end);
  }
}
