import { type Converted, endingOf, readRuleFile, type ReadRuleFile, ruleFileReading } from '@engine/rule-file'
import { isUtf8 } from 'node:buffer'
import { Worker } from 'node:worker_threads'
import { inTurns } from '@engine/process'

/** Bytes of a file that are read at once, in a few milliseconds. */
const LARGE = 64 * 1024
/** Bytes of a YAML file that are read at once: its reader takes about 2 s a megabyte. */
const LARGE_YAML = 8 * 1024

/** Megabytes of the thread that reads a YAML file. */
const THREAD_MB = 1024
/** Milliseconds for one YAML file: more than enough for the largest rule file. */
const LONGEST_MS = 300_000

/** What a rule file holds, while requests are served: a large one is read in turns with them, YAML on another thread. */
export function readWhileServing(file: string, bytes: Uint8Array): ReadRuleFile | Promise<ReadRuleFile> {
  if (isYaml(file) && bytes.length > LARGE_YAML && isUtf8(bytes)) return readYaml(file, bytes)
  return readAtStart(file, bytes)
}

/** The same before anything is served: a thread for each of many YAML files would take longer. */
export function readAtStart(file: string, bytes: Uint8Array): ReadRuleFile | Promise<ReadRuleFile> {
  return bytes.length > LARGE ? inTurns(ruleFileReading(file, bytes)) : readRuleFile(file, bytes)
}

function isYaml(file: string): boolean {
  const ending = endingOf(file)
  return ending === '.yaml' || ending === '.yml'
}

async function readYaml(file: string, bytes: Uint8Array): Promise<ReadRuleFile> {
  return inTurns(ruleFileReading(file, bytes, await converted(bytes)))
}

/** YAML as JSON text, converted by a thread of its own: the library cannot pause. */
function converted(bytes: Uint8Array): Promise<Converted> {
  return new Promise((resolve) => {
    const thread = new Worker(new URL('yaml-thread.ts', import.meta.url), {
      workerData: bytes,
      // Of the options of the process none is for this thread.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MB },
    })
    const timer = setTimeout(() => {
      resolve({ reason: `its YAML could not be read within ${LONGEST_MS / 1000} s` })
      void thread.terminate()
    }, LONGEST_MS)
    thread.on('message', resolve)
    thread.on('error', (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      const why = isTooLarge ? `more than ${THREAD_MB} MB of memory are needed` : error.message
      resolve({ reason: `its YAML could not be read: ${why}` })
    })
    thread.on('exit', () => clearTimeout(timer))
  })
}
