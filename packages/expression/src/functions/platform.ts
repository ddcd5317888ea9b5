/**
 * Fail the import where the platform lacks the APIs that functions are built on: they would otherwise reject valid
 * dates and texts. Node.js has both since version 26.
 */
export function requirePlatform(): void {
  const hasBytes = 'fromBase64' in Uint8Array && 'fromHex' in Uint8Array
  const missing = [
    ...('Temporal' in globalThis ? [] : ['Temporal']),
    ...(hasBytes ? [] : ['Uint8Array.fromBase64 and fromHex']),
  ]
  if (missing.length > 0)
    throw new Error(`@engine/expression needs ${missing.join(', ')}: Node.js 26 or later, or a browser of 2026`)
}
