package dev.reprise.cli.gpucheck;

import dev.reprise.cli.doctor.DiagnosisJson;
import dev.reprise.cli.measure.TableFormats;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A report as one JSON object, for programs. Names stay; what is not a number is null. */
final class CheckJson {

  /** Changes when a name changes its meaning. */
  static final String SCHEMA = "reprise-gpu-check/1";

  private static final JsonMapper MAPPER = JsonMapper.shared();

  private CheckJson() {}

  static String text(CheckReport report) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("schema", SCHEMA)
        .put("version", report.version())
        .put("started", report.started().toString())
        .put("passed", report.passed())
        .put("complete", report.complete())
        .put("quick", report.plan().quick())
        .put("seconds", report.plan().seconds())
        .put("device", report.device())
        .put("driver", report.driver())
        .put("software_device", report.softwareDevice());
    json.set("doctor", MAPPER.readTree(DiagnosisJson.line(report.diagnosis())));
    ArrayNode sections = json.putArray("sections");
    report.sections().forEach(section -> section(sections.addObject(), section, report));
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n";
  }

  private static void section(ObjectNode json, SectionReport section, CheckReport report) {
    json.put("key", section.key())
        .put("title", section.title())
        .put("status", section.status().text());
    TableFormats.put(json, "took_s", section.seconds());
    json.put("error", section.error())
        .put("times_of_software_device", section.timed() && report.softwareDevice());
    ArrayNode headlines = json.putArray("headlines");
    section.headlines().forEach(headlines::add);
    ObjectNode facts = json.putObject("facts");
    section.facts().forEach(fact -> TableFormats.put(facts, fact.key(), fact.value()));
    ArrayNode checks = json.putArray("checks");
    section
        .checks()
        .forEach(check ->
            checks
                .addObject()
                .put("name", check.name())
                .put("passed", check.passed())
                .put("detail", check.detail()));
    ObjectNode tables = json.putObject("tables");
    section.tables().forEach(table -> TableFormats.json(tables.putArray(table.key()), table));
  }
}
