// The formats whose text can be read, and the notes that an answer may have.
export const TEXT_KINDS = [
  "pdf",
  "docx",
  "xlsx",
  "pptx",
  "odt",
  "ods",
  "odp",
  "rtf",
  "html",
  "csv",
  "ics",
  "eml",
  "text",
] as const;
/** `no_text_layer`: the pages are pictures. `charset_guessed`: some letters may be wrong. `parts_unread`: there is more than the text. */
export const TEXT_NOTES = ["no_text_layer", "charset_guessed", "parts_unread"] as const;
