/** The SQLSTATE of an error of the database; undefined: it is another error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
    ? error.code
    : undefined
}

/** The unique constraint that a row would have violated; undefined: another error. */
export function duplicateOf(error: unknown): string | undefined {
  return sqlState(error) === '23505' && error instanceof Error && 'constraint' in error
    ? String(error.constraint)
    : undefined
}
