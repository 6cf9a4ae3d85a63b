package dev.reprise.cli.ptx;

import dev.reprise.softgpu.profile.ProfileReport;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A result as one line of JSON. */
public final class CaseJson {
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private CaseJson() {}

  /** {@code name}, {@code ok}, {@code outputs}, {@code error} (or null), {@code reports}, {@code profile} if it was asked
   * for, and {@code printed} if the kernel printed something. */
  public static String line(CaseResult result) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("name", result.name());
    json.put("ok", result.ok());
    ArrayNode outputs = json.putArray("outputs");
    result.outputs().forEach(outputs::add);
    result.error().ifPresentOrElse(e -> json.put("error", e), () -> json.putNull("error"));
    ArrayNode reports = json.putArray("reports");
    for (CaseResult.Report report : result.reports()) {
      reports.addObject().put("kind", report.kind()).put("text", report.text());
    }
    if (!result.profile().isEmpty()) {
      json.set("profile", MAPPER.readTree(ProfileReport.json(result.profile())));
    }
    if (!result.printed().isEmpty()) {
      json.put("printed", result.printed());
    }
    return MAPPER.writeValueAsString(json);
  }
}
