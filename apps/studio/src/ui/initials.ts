/** Initials of the first of several names. */
export const initials = (names: string): string =>
  (names.split(', ')[0] ?? '')
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('')
