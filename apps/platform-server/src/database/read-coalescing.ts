/** A read that is under way, and the one that begins after it. */
interface Reading<Found> {
  readonly running: Promise<Found>
  next: Promise<Found> | undefined
}

/**
 * A read that requests share: one further read serves all requests that arrive while another is under way. It begins
 * after the last of them has arrived, so that each sees the data stored before it, as if it had read for itself.
 *
 * @param keyOf a text that identifies every input of the read
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
