import type { AbortSignalLike } from '@engine/ruleset'

// Every platform has these; declared here because the package includes no platform's types.
declare const performance: { now(): number }
declare function setTimeout(run: () => void, milliseconds: number): unknown
declare function clearTimeout(timer: unknown): void
declare const AbortController: new () => { readonly signal: AbortSignalLike; abort(): void }

/** Milliseconds with fractions. */
export const monotonic = (): number => performance.now()

/** A time limit for a waiting call (`Host.limit`). */
export function limit(milliseconds: number | undefined): { readonly signal: AbortSignalLike; dispose(): void } {
  const controller = new AbortController()
  if (milliseconds === undefined) return { signal: controller.signal, dispose: () => {} }
  const timer = setTimeout(() => controller.abort(), milliseconds)
  return { signal: controller.signal, dispose: () => clearTimeout(timer) }
}
