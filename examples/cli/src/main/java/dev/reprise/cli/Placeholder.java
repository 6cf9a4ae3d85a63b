package dev.reprise.cli;

final class Placeholder {}
