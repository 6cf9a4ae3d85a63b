package dev.reprise.softgpu.driver;

import org.junit.jupiter.api.extension.ExtendWith;

/** Semaphores hold and let go streams in simulations too. */
@ExtendWith(Simulated.class)
class SimulatedExternalSemaphoreTest extends ExternalSemaphoreTest {}
