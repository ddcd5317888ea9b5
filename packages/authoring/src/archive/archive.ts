import type { Value } from '@engine/expression'
import type { Concept, Contract, Fact } from '../contract/contract.ts'
import type { DraftGraph, DraftRuleset } from '../draft/model.ts'
import type { Problem } from '../problem.ts'

/** One file of a project, its path relative to the project's folder, with `/`. */
export interface ArchiveFile {
  readonly path: string
  readonly text: string
}

/** The authored content of a project, as stored in its archive. Lists are sorted by name. */
export interface ProjectArchive {
  readonly project: ArchivedProject
  /** With their samples, which are separate files. */
  readonly rulesets: readonly DraftRuleset[]
  readonly subRules: readonly ArchivedSubRule[]
  readonly contracts: readonly Contract[]
  readonly facts: readonly Fact[]
  readonly concepts: readonly Concept[]
  readonly suites: readonly ArchivedSuite[]
}

export type ArchivedProject = {
  readonly name: string
  readonly description?: string
  readonly current_environment: string
  /** `off`, `warn` or `enforce`; undefined: unchanged, or that of a new project. */
  readonly contract_mode?: string
  readonly environments: readonly ArchivedEnvironment[]
}

/** Settings of an environment; engines and people are not archived. */
export type ArchivedEnvironment = {
  readonly name: string
  readonly order?: number
  readonly requires_release?: boolean
  readonly hold_before?: boolean
  readonly allow_local_rulesets?: boolean
  /** With `canary_target`, the name of an environment, instead of an id. */
  readonly canary?: { readonly [key: string]: Value }
  readonly recording?: { readonly [key: string]: Value }
}

export type ArchivedSubRule = {
  readonly name: string
  readonly version: string
  readonly bindings: readonly { readonly name: string; readonly type: string; readonly required?: boolean }[]
  readonly outputs: readonly { readonly name: string; readonly type: string }[]
  readonly graph: DraftGraph
}

/** Cases of a ruleset; the suite is named after its file. */
export type ArchivedSuite = {
  readonly ruleset: string
  readonly name: string
  readonly cases: readonly ArchivedCase[]
}

export type ArchivedCase = {
  readonly name: string
  readonly input: { readonly [key: string]: Value }
  readonly now?: string
  readonly stubs?: { readonly [call: string]: Value }
  readonly expect: ArchivedExpectation
}

export type ArchivedExpectation = {
  readonly code?: string
  readonly message?: string
  readonly output?: { readonly [key: string]: Value }
  /** The output has no further keys. */
  readonly exact?: boolean
  /** Step ids. */
  readonly path?: readonly string[]
  /** Absolute tolerance for every number in the output. */
  readonly tolerance?: number
  /** A part of the error message. */
  readonly error?: string
}

/** A problem in one file; `line` and `column` are positions in that file. */
export interface FileProblem extends Problem {
  readonly file: string
}

export interface ReadArchive {
  /** Undefined when there is a problem of severity `error`. */
  readonly archive?: ProjectArchive
  readonly problems: readonly FileProblem[]
}

interface Position {
  readonly line: number
  readonly column: number
}

/** Reads and writes YAML: injected, because this package includes no YAML library. */
export interface YamlForm {
  /** The same value as JSON text, within the limits of JSON; or why it cannot be converted. */
  toJson(text: string): { readonly json: string } | { readonly reason: string }
  /** Positions of JSON pointers; for a missing member, its nearest existing ancestor. */
  positions(text: string): (pointer: string) => Position | undefined
  write(value: { readonly [key: string]: Value }): string
}
