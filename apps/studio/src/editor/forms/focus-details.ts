/** Select a step, and focus its fields: its details, or the cells of a table. */
export function focusDetails(id: string, select: (id: string) => void): void {
  select(id)
  requestAnimationFrame(() =>
    document
      .querySelector<HTMLElement>('.details .cm-content, .details input, .stage [role=grid], .stage .cm-content')
      ?.focus(),
  )
}
