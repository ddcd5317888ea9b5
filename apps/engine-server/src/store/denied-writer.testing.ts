import { openSampleStore, sample } from './store.testing.ts'

/** Prints the store's errors in a directory that this process may not write. */
const [directory = ''] = process.argv.slice(2)
const store = await openSampleStore(directory)
const messageOf = (write: Promise<unknown>) =>
  write.then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  )
const said = {
  put: await messageOf(store.put(sample('b', '1'))),
  delete: await messageOf(store.delete('a')),
  served: Array.from(store.list(), ({ name }) => name),
  probe: await store.probe(1000),
}
process.stdout.write(JSON.stringify(said))
