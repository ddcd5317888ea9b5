/** A delay by a timer that tests can control. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** The work exceeded its time limit. */
export const TIMED_OUT = Symbol('late')

/**
 * The result of the work, or `TIMED_OUT` if it is not available in time. The work itself continues; the timer does not.
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), milliseconds)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
