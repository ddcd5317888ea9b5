/** A running read, and the one that starts after it. */
interface Reading<Found> {
  readonly running: Promise<Found>
  next: Promise<Found> | undefined
}

/**
 * A read shared by requests: one further read serves all requests that arrive while another one is running. It starts
 * after the last of them has arrived, so that each request sees all data stored before it, as if it had read by itself.
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
