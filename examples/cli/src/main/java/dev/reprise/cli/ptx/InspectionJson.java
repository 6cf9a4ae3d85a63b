package dev.reprise.cli.ptx;

import dev.reprise.softgpu.inspect.PtxInspection;
import dev.reprise.softgpu.inspect.PtxKernel;
import dev.reprise.softgpu.inspect.PtxProblem;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What a PTX text uses, as one JSON object. */
public final class InspectionJson {
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private InspectionJson() {}

  /** One line. */
  public static String line(String file, PtxInspection found) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("file", file);
    json.put("loads", found.loads());
    json.put("version", found.version());
    json.put("target", found.target());
    ArrayNode kernels = json.putArray("kernels");
    for (PtxKernel kernel : found.kernels()) {
      ObjectNode k = kernels.addObject();
      k.put("name", kernel.name());
      k.put("line", kernel.line());
      k.put("instructions", kernel.instructions());
      k.put("shared_bytes", kernel.resources().sharedBytes());
      k.put("local_bytes", kernel.resources().localBytes());
      k.put("registers", kernel.resources().registers());
      k.put("max_threads", kernel.resources().maxThreads());
      ArrayNode parameters = k.putArray("parameters");
      for (PtxKernel.Parameter p : kernel.parameters()) {
        parameters.addObject().put("name", p.name()).put("type", p.type()).put("bytes", p.bytes());
      }
    }
    ArrayNode functions = json.putArray("functions");
    found.functions().forEach(functions::add);
    ObjectNode instructions = json.putObject("instructions");
    found.instructions().forEach((form, count) -> instructions.put(form, count.intValue()));
    ArrayNode problems = json.putArray("problems");
    for (PtxProblem p : found.problems()) {
      problems
          .addObject()
          .put("kind", p.kind().name().toLowerCase(Locale.ROOT))
          .put("line", p.line())
          .put("column", p.column())
          .put("message", p.message());
    }
    return MAPPER.writeValueAsString(json);
  }
}
