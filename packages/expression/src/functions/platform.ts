/**
 * Fail the import where the platform lacks the APIs that functions are built on: they would otherwise reject valid
 * dates and texts. Node.js has both since version 26.
 */
export function requirePlatform(): void {
  const { Temporal: calendar } = globalThis as { readonly Temporal?: unknown }
  const bytes = Uint8Array as { fromBase64?: unknown; fromHex?: unknown }
  const missing = [
    ...(calendar === undefined ? ['Temporal'] : []),
    ...(bytes.fromBase64 === undefined || bytes.fromHex === undefined ? ['Uint8Array.fromBase64 and fromHex'] : []),
  ]
  if (missing.length > 0)
    throw new Error(`@engine/expression needs ${missing.join(', ')}: Node.js 26 or later, or a browser of 2026`)
}
