import { readFileSync, writeFileSync } from 'node:fs'

/** Resident memory of a process in MiB: now, and at most. Undefined: the process is gone. */
export function memoryOf(pid: number | undefined): { readonly now: number; readonly peak: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const of = (name: string) => Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]) / 1024
    const [now, peak] = [of('VmRSS'), of('VmHWM')]
    return Number.isNaN(now) ? undefined : { now, peak }
  } catch {
    return undefined
  }
}

/** Resets the peak to the current size: `5` for `clear_refs` of proc(5). */
export function resetPeak(pid: number | undefined): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
