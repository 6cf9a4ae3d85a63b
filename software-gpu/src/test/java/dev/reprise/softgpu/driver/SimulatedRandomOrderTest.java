package dev.reprise.softgpu.driver;

import org.junit.jupiter.api.extension.ExtendWith;

/** The orders that a program asks for are kept in simulations too. */
@ExtendWith(Simulated.class)
class SimulatedRandomOrderTest extends RandomOrderTest {}
