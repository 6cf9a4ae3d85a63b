package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.ActionOp;
import dev.reprise.softgpu.engine.exec.BranchOp;
import dev.reprise.softgpu.engine.exec.DataFlow;
import dev.reprise.softgpu.engine.exec.ExitOp;
import dev.reprise.softgpu.engine.exec.LaneFault;
import dev.reprise.softgpu.engine.exec.Op;
import dev.reprise.softgpu.engine.exec.ReturnOp;
import dev.reprise.softgpu.engine.exec.StraightRun;
import dev.reprise.softgpu.engine.exec.TableOp;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decodes the flattened statements of one kernel. */
final class KernelDecoder {
  private record Jump(BranchOp op, LabelTarget target) {}

  private record Table(int[] pcs, List<LabelTarget> targets) {}

  private final Emitter e = new Emitter();
  private final LongDecoder longs = new LongDecoder(e);
  private final CarryDecoder carries = new CarryDecoder(e);
  private final FloatDecoder floats = new FloatDecoder(e);
  private final DoubleDecoder doubles = new DoubleDecoder(e);
  private final HalfDecoder halves = new HalfDecoder(e);
  private final CompareDecoder compare = new CompareDecoder(e);
  private final ClassDecoder classes = new ClassDecoder(e);
  private final IntegerDecoder integers = new IntegerDecoder(e, compare);
  private final PackedDecoder packed = new PackedDecoder(e);
  private final VideoDecoder video = new VideoDecoder(e);
  private final NarrowDecoder narrow = new NarrowDecoder(e);
  private final StochasticDecoder stochastic = new StochasticDecoder(e);
  private final ConvertDecoder convert = new ConvertDecoder(e);
  private final MoveDecoder move = new MoveDecoder(e);
  private final MemoryDecoder memory = new MemoryDecoder(e);
  private final AtomicDecoder atomics = new AtomicDecoder(e, memory);
  private final MatrixDecoder matrices = new MatrixDecoder(e, memory);
  private final MultiplyDecoder multiply = new MultiplyDecoder(e, matrices);
  private final WmmaDecoder wmma = new WmmaDecoder(e, memory, matrices);
  private final AsyncDecoder async = new AsyncDecoder(e, memory, compare);
  private final PhaseBarrierDecoder phaseBarriers = new PhaseBarrierDecoder(e, memory);
  private final AsyncStoreDecoder asyncStores = new AsyncStoreDecoder(e, memory, atomics);
  private final ClusterDecoder clusters = new ClusterDecoder(e);
  private final TensorMapDecoder tensorMaps = new TensorMapDecoder(e, memory);
  private final WarpDecoder warps = new WarpDecoder(e, compare);
  private final List<LabelTarget> labels = new ArrayList<>();
  private final List<Jump> jumps = new ArrayList<>();
  private final List<Table> tables = new ArrayList<>();
  private final StackDecoder stack;
  private final ProcedureDecoder procedures;
  private final Map<Integer, String> sources = new HashMap<>();
  private final Map<Integer, String> files;

  /**
   * @param files names of source files by the numbers that {@code .loc} uses
   * @param addresses of functions, by name
   * @param local memory of the kernel's own
   */
  KernelDecoder(Map<Integer, String> files, Map<String, Long> addresses, LocalFrame local) {
    this.files = files;
    stack = new StackDecoder(e, local);
    procedures = new ProcedureDecoder(e, stack, addresses);
  }

  RegisterFile registers() {
    return e.registers;
  }

  /** For PTX lines with a {@code .loc}: source file and line. */
  Map<Integer, String> sources() {
    return sources;
  }

  /** The operations, in runs, and what is known of their values. */
  record Decoded(Op[] code, DataFlow flow) {}

  Decoded decode(List<Item> items, Collection<Procedure> called) {
    RegisterKinds.settle(items);
    RawBits.settle(items);
    ConstantRegisters.settle(items);
    int last = 0;
    if (!called.isEmpty()) {
      procedures.start();
    }
    stack.start(items);
    for (Item item : items) {
      switch (item) {
        case Item.FrameStart start -> {
          stack.enter(start.procedure());
          if (procedures.enter(start.procedure())) {
            end(last);
          }
        }
        case Item.Call call -> {
          note(call.instruction());
          procedures.call(call);
        }
        case Item.Builtin call -> {
          note(call.instruction());
          procedures.builtin(call);
        }
        case Item.Return back -> {
          e.begin(back.line(), 0, "ret", back.guard(), back.scope());
          e.emit(new ReturnOp());
        }
        case LabelTarget label -> {
          label.pc = e.pc();
          labels.add(label);
        }
        case Item.Jump jump -> {
          e.begin(jump.line(), 0, "call", jump.guard(), jump.scope());
          jump(jump.target());
        }
        case Item.Step step -> {
          Statement.Instruction i = step.instruction();
          last = i.line();
          note(i);
          e.begin(i.line(), i.column(), i.form(), i.guard(), step.scope());
          instruction(new Form(i));
        }
      }
    }
    if (called.isEmpty()) {
      end(last);
    }
    procedures.finish(called);
    for (Jump j : jumps) {
      j.op.target(j.target.pc);
    }
    for (Table t : tables) {
      for (int k = 0; k < t.pcs.length; k++) {
        t.pcs[k] = t.targets.get(k).pc;
      }
    }
    boolean[] leaders = new boolean[e.pc()];
    for (LabelTarget label : labels) {
      leaders[label.pc] = true;
    }
    Op[] code = e.code();
    DataFlow flow = new DataFlow(code);
    return new Decoded(StraightRun.form(code, leaders, flow, e.registers::constantOf), flow);
  }

  private void end(int line) {
    e.begin(line, 0, "end of the kernel", null, new Scope(null, false));
    e.emit(new ExitOp());
  }

  private void note(Statement.Instruction i) {
    Statement.SourceLine source = i.source();
    if (source != null) {
      String file = files.getOrDefault(source.file(), "file " + source.file());
      sources.put(i.line(), file + ":" + source.line());
    }
  }

  private void jump(LabelTarget target) {
    BranchOp op = new BranchOp();
    e.emit(op);
    jumps.add(new Jump(op, target));
  }

  private void instruction(Form f) {
    switch (f.opcode()) {
      case "add",
          "sub",
          "mul",
          "mul24",
          "mad",
          "mad24",
          "div",
          "rem",
          "min",
          "max",
          "neg",
          "abs",
          "fma",
          "addc",
          "subc",
          "madc",
          "cnot",
          "copysign",
          "rcp",
          "sqrt",
          "rsqrt",
          "ex2",
          "lg2",
          "sin",
          "cos",
          "tanh" ->
          arithmetic(f);
      case "and", "or", "xor", "not" -> {
        if (f.type() == PtxType.PRED) {
          compare.predicates(f);
        } else {
          arithmetic(f);
        }
      }
      case "shl", "shr" -> arithmetic(f);
      case "mov" -> mov(f);
      case "popc",
          "clz",
          "brev",
          "bfind",
          "bfe",
          "bfi",
          "prmt",
          "lop3",
          "shf",
          "sad",
          "dp4a",
          "dp2a",
          "szext",
          "bmsk",
          "fns" ->
          integers.bits(f);
      case "setp" -> compare.setp(f);
      case "set" -> compare.set(f);
      case "selp" -> compare.selp(f);
      case "slct" -> compare.slct(f);
      case "mma" -> multiply.mma(f);
      case "wmma" -> wmma.wmma(f);
      case "ldmatrix", "stmatrix" -> matrices.rows(f);
      case "movmatrix" -> matrices.transpose(f);
      case "cp" -> async.copy(f);
      case "tensormap" -> tensorMaps.change(f);
      case "alloca", "stacksave", "stackrestore" -> stack.manipulate(f);
      case "mbarrier" -> phaseBarriers.barrier(f);
      case "mapa" -> clusters.map(f);
      case "getctarank" -> clusters.rank(f);
      case "testp" -> classes.testp(f);
      case "cvt" -> {
        if (StochasticDecoder.handles(f.instruction())) {
          stochastic.cvt(f);
        } else if (NarrowDecoder.handles(f.instruction())) {
          narrow.cvt(f);
        } else {
          convert.cvt(f);
        }
      }
      case "cvta" -> move.cvta(f);
      case "isspacep" -> move.isspacep(f);
      case "ld", "ldu" -> memory.load(f);
      case "st" -> {
        if (f.take("async")) {
          asyncStores.store(f);
        } else if (f.take("bulk")) {
          asyncStores.fill(f);
        } else {
          memory.store(f);
        }
      }
      case "atom" -> atomics.atomic(f);
      case "red" -> {
        if (f.take("async")) {
          asyncStores.reduce(f);
        } else {
          atomics.atomic(f);
        }
      }
      case "prefetch", "prefetchu", "applypriority", "discard" -> memory.hint(f);
      case "createpolicy" -> memory.createPolicy(f);
      case "griddepcontrol", "setmaxnreg", "pmevent" -> schedulingHint(f);
      case "membar", "fence" -> memory.fence(f);
      case "nanosleep" -> memory.nanosleep(f);
      case "shfl" -> warps.shuffle(f);
      case "vote" -> warps.vote(f);
      case "match" -> warps.match(f);
      case "redux" -> warps.reduce(f);
      case "activemask" -> warps.activemask(f);
      case "elect" -> warps.elect(f);
      case "bar", "barrier" -> {
        if (f.opcode().equals("barrier") && f.take("cluster")) {
          clusters.barrier(f);
        } else {
          warps.barrier(f);
        }
      }
      case "bra" -> branch(f);
      case "brx" -> branchTable(f);
      case "ret", "exit" -> {
        f.ignore("uni");
        f.done(0);
        e.emit(new ExitOp());
      }
      case "trap", "brkpt" -> trap(f);
      default -> {
        if (!VideoDecoder.handles(f.opcode())) {
          throw Refusal.of(f);
        }
        video.video(f);
      }
    }
  }

  /** What asks for registers, counters or overlap of launches, none of which a program can see. */
  private static void schedulingHint(Form f) {
    f.ignore("launch_dependents", "wait", "inc", "dec", "sync", "aligned", "mask");
    f.done(0, 1);
  }

  private void arithmetic(Form f) {
    if (f.opcode().equals("fma")) {
      FusedRules.check(f);
    }
    if (packed.arithmetic(f)) {
      return;
    }
    PtxType t = f.type();
    if (CarryDecoder.handles(f)) {
      carries.arithmetic(f);
    } else if (t == PtxType.F32) {
      floats.arithmetic(f);
    } else if (t == PtxType.F64) {
      doubles.arithmetic(f);
    } else if (t.floating()) {
      halves.arithmetic(f);
    } else if (t.bytes() == 8) {
      longs.arithmetic(f);
    } else if (t == PtxType.PRED || t.bytes() == 1) {
      throw f.unsupported();
    } else {
      integers.arithmetic(f);
    }
  }

  private void mov(Form f) {
    if (f.type() == PtxType.PRED) {
      compare.predicates(f);
    } else if (move.handles(f)) {
      move.move(f);
    } else {
      arithmetic(f);
    }
  }

  private LabelTarget label(String name) {
    if (!(e.scope().find(name) instanceof LabelTarget target)) {
      throw e.error("unknown label " + name);
    }
    return target;
  }

  private void branch(Form f) {
    f.ignore("uni");
    f.done(1);
    if (!(f.operand(0) instanceof Operand.Name name)) {
      throw f.error("needs a label");
    }
    jump(label(name.text()));
  }

  private void branchTable(Form f) {
    f.ignore("uni");
    if (!f.take("idx")) {
      throw f.unsupported();
    }
    f.done(2);
    if (!(f.operand(1) instanceof Operand.Name name)
        || !(e.scope().find(name.text()) instanceof TargetList list)) {
      throw f.error("needs the name of .branchtargets");
    }
    List<LabelTarget> targets = list.labels().stream().map(this::label).toList();
    int[] pcs = new int[targets.size()];
    tables.add(new Table(pcs, targets));
    e.emit(new TableOp(e.ints(f.operand(0), PtxType.U32), pcs));
  }

  private void trap(Form f) {
    f.done(0);
    int line = f.instruction().line();
    String what = f.opcode();
    e.emit(
        new ActionOp((w, m) -> {
          throw new LaneFault(719, line, Integer.numberOfTrailingZeros(m), 0, what);
        }));
  }
}
