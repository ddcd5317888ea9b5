-- What a save says of itself: read out of a long one, it took longer than the whole text.

alter table draft_saves
  add column config json generated always as (json_extract_path(ruleset, 'config')) stored;
