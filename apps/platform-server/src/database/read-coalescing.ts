/** A read that is under way, and the one that begins after it. */
interface Reading<Found> {
  readonly running: Promise<Found>
  next: Promise<Found> | undefined
}

/**
 * A read that requests share: of all that ask while one is under way, one more serves all. It begins after the last of them
 * has asked, so that each sees what was stored before it, as if it had read for itself.
 *
 * @param keyOf a text that stands for all that the read depends on
 */
export function coalesceReads<Key, Found>(
  read: (asked: Key) => Promise<Found>,
  keyOf: (asked: Key) => string,
): (asked: Key) => Promise<Found> {
  const readings = new Map<string, Reading<Found>>()
  const begin = (key: string, asked: Key): Promise<Found> => {
    const reading: Reading<Found> = { running: read(asked), next: undefined }
    readings.set(key, reading)
    const over = () => {
      if (reading.next === undefined) readings.delete(key)
    }
    reading.running.then(over, over)
    return reading.running
  }
  return (asked) => {
    const key = keyOf(asked)
    const reading = readings.get(key)
    if (reading === undefined) return begin(key, asked)
    const after = () => begin(key, asked)
    return (reading.next ??= reading.running.then(after, after))
  }
}
