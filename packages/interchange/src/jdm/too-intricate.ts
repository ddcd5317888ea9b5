/** A document has more ways through its switches, or joins more objects, than a ruleset has a form for. */
export class TooIntricate extends Error {}
