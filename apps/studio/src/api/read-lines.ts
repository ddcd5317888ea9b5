import { parseJson, type Value } from '@engine/expression'
import { BASE } from './client.ts'
import { ApiError, reached, unreachable } from './errors.ts'

/** The values of an NDJSON stream, up to a maximum number: the rest is not read. Throws `ApiError`. */
export async function readLines(
  path: string,
  query: Readonly<Record<string, string>>,
  most: number,
  signal: AbortSignal,
): Promise<{ readonly values: readonly Value[]; readonly isWhole: boolean }> {
  const ending = new AbortController()
  const address = `${BASE}${path}?${new URLSearchParams(query).toString()}`
  const request = fetch(address, {
    headers: { accept: 'application/x-ndjson' },
    credentials: 'same-origin',
    signal: AbortSignal.any([signal, ending.signal]),
  })
  const response = await reached(request)
  if (!response.ok) {
    const read = parseJson(await reached(response.text()), { duplicateKeys: 'last' })
    const body = read.kind === 'parsed' ? read.value : undefined
    throw new ApiError(response.status, body, response.headers.get('x-request-id'))
  }
  const values: Value[] = []
  let rest = ''
  const take = (line: string) => {
    const read = parseJson(line, { duplicateKeys: 'last', numbers: 'exact' })
    if (read.kind === 'parsed') values.push(read.value)
  }
  if (response.body === null) return { values, isWhole: true }
  try {
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '' && values.length < most) take(line)
      if (values.length >= most) {
        ending.abort()
        return { values, isWhole: false }
      }
    }
  } catch (error) {
    throw unreachable(error)
  }
  if (rest !== '') take(rest)
  return { values, isWhole: true }
}
