/**
 * Ends the import where the platform lacks what functions are made of: they would else refuse dates and texts that are
 * right. Node.js has both from version 26 on.
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
