export { type Awaitable, whenThere } from './awaitable.ts'
export { byteChunks } from './byte-chunks.ts'
export { type Circuit, createCircuit } from './circuit.ts'
export { delay, TIMED_OUT, within } from './deadline.ts'
export { isLarge, jsonText, parsedJson } from './json.ts'
export { lockFile, type LockAttempt, type LockFiles } from './file-lock.ts'
export { LineFileError, readLines } from './line-file.ts'
export * from './log.ts'
export { fieldsText } from './log-text.ts'
export { makeDirectory } from './make-directory.ts'
export { NODE_FLAGS } from './node-flags.ts'
export { packageFile } from './package-file.ts'
export { endsWithThisProcess, exitFailed, exitOnDefects, withNpx } from './process-end.ts'
export { type Announcement, serve, type ServeOptions, type Service, type Surroundings } from './serve.ts'
export { startThread } from './thread.ts'
export { thisProcess } from './this-process.ts'
export { type EndSignal, type ShutdownStep, type SignalSource, shutDown } from './shutdown.ts'
export { ShutdownList } from './shutdown-list.ts'
export { StartError, starting, systemReason } from './start-error.ts'
export { readStartFile } from './start-file.ts'
export { openTracing, type Span, type Tracing } from './tracing.ts'
export { readTracingVariables, type TracesSettings, TRACING_HELP } from './tracing-variables.ts'
export { createPauses, createRequestBudget, createTurns, inTurns, pause, processor, withPauses } from './turns.ts'
export { startWatchdog, type Watchdog } from './watchdog.ts'
export type { Environment } from './options/environment.ts'
export type { Combination, Option, OptionProgram, OptionTable, OptionValues } from './options/option.ts'
export { type OptionsEnd, type OptionsRead, readOptions } from './options/read-options.ts'
export {
  address,
  type Address,
  integer,
  InvalidValue,
  matching,
  oneOf,
  path,
  socketPath,
  truth,
  webAddress,
} from './options/value.ts'
