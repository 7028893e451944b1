//! The tools' names, in the order in which they are listed. Nothing but tests and comments spells one out elsewhere.

macro_rules! names {
    ($($constant:ident $text:literal),* $(,)?) => {
        $(#[doc = concat!("`", $text, "`.")] pub const $constant: &str = $text;)*

        /// Every tool.
        pub const ALL: &[&str] = &[$($text),*];
    };
}

names! {
    SEARCH_CODE "search_code",
    EXPLAIN_RANKING "explain_ranking",
    SUGGEST_FOLLOWUP_QUERIES "suggest_followup_queries",
    LOCATE_SYMBOL "locate_symbol",
    GET_FILE_OUTLINE "get_file_outline",
    FIND_REFERENCES "find_references",
    GET_CALL_GRAPH "get_call_graph",
    DIFF_CONTEXT "diff_context",
    COMPARE_SYMBOL_BETWEEN_COMMITS "compare_symbol_between_commits",
    LIST_REFS "list_refs",
    SWITCH_REF "switch_ref",
    INDEX_REPO "index_repo",
    SYNC_REPO "sync_repo",
    INDEX_STATUS "index_status",
    HEALTH_CHECK "health_check",
    READ_CONTEXT "read_context",
    READ_DOC "read_doc",
    LIST_TASKS "list_tasks",
    CREATE_TASK "create_task",
    GET_TASK_DEPENDENCIES "get_task_dependencies",
    VALIDATE_TASK_GRAPH "validate_task_graph",
    UPDATE_TASK "update_task",
}
