package dev.reprise.cuda;

final class Placeholder {}
