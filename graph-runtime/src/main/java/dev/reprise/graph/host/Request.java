package dev.reprise.graph.host;

import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.schedule.Priority;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/**
 * What is to be generated.
 *
 * @param prompt token ids, at least one
 * @param sampling how tokens are chosen
 * @param maxTokens the most tokens to generate; the end of the context may come first
 * @param stopTokens ends the request when one of them is sampled; it is not among the tokens
 * @param timeout how long the request may take from its submission on, waiting included
 * @param priority how urgent it is
 * @param flow whose request it is, a user say: requests of one priority share fairly between flows
 * @param adapter which adapter it wants; refused if it is not loaded
 */
public record Request(
    int[] prompt,
    SamplingParameters sampling,
    int maxTokens,
    Set<Integer> stopTokens,
    Optional<Duration> timeout,
    Priority priority,
    String flow,
    Optional<String> adapter) {

  /** Copies the prompt and checks the numbers. */
  public Request {
    prompt = prompt.clone();
    stopTokens = Set.copyOf(stopTokens);
    if (maxTokens < 1) {
      throw new IllegalArgumentException("At least one token must be asked for: " + maxTokens);
    }
    timeout.ifPresent(t -> {
      if (t.isNegative() || t.isZero()) {
        throw new IllegalArgumentException("A request needs some time: " + t);
      }
    });
  }

  /** Takes the most likely tokens, up to a number, with no other condition. */
  public static Request greedy(int[] prompt, int maxTokens) {
    return new Request(
        prompt,
        SamplingParameters.greedy(),
        maxTokens,
        Set.of(),
        Optional.empty(),
        Priority.NORMAL,
        "",
        Optional.empty());
  }

  @Override
  public int[] prompt() {
    return prompt.clone();
  }

  /** The same with other sampling. */
  public Request withSampling(SamplingParameters other) {
    return new Request(prompt, other, maxTokens, stopTokens, timeout, priority, flow, adapter);
  }

  /** The same with stop tokens. */
  public Request withStopTokens(Set<Integer> tokens) {
    return new Request(prompt, sampling, maxTokens, tokens, timeout, priority, flow, adapter);
  }

  /** The same with a limit on its time. */
  public Request withTimeout(Duration limit) {
    return new Request(
        prompt, sampling, maxTokens, stopTokens, Optional.of(limit), priority, flow, adapter);
  }

  /** The same with another priority. */
  public Request withPriority(Priority other) {
    return new Request(prompt, sampling, maxTokens, stopTokens, timeout, other, flow, adapter);
  }

  /** The same as a request of someone else. */
  public Request withFlow(String other) {
    return new Request(prompt, sampling, maxTokens, stopTokens, timeout, priority, other, adapter);
  }

  /** The same with an adapter. */
  public Request withAdapter(String name) {
    return new Request(
        prompt, sampling, maxTokens, stopTokens, timeout, priority, flow, Optional.of(name));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Request r
        && Arrays.equals(prompt, r.prompt)
        && sampling.equals(r.sampling)
        && maxTokens == r.maxTokens
        && stopTokens.equals(r.stopTokens)
        && timeout.equals(r.timeout)
        && priority == r.priority
        && flow.equals(r.flow)
        && adapter.equals(r.adapter);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(prompt) + sampling.hashCode() + maxTokens;
  }

  @Override
  public String toString() {
    return "Request[%d prompt tokens, up to %d more, %s, %s, flow '%s']"
        .formatted(prompt.length, maxTokens, sampling, priority, flow);
  }
}
