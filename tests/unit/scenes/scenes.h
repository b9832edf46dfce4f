// The scenes of tests/scenes for the tests that run them. Format: that folder's README.md.
//
// An invalid file ends the program.
#pragma once

#include "base/check.h"
#include "harness/test.h"
#include "text/yaml.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCENE_NODES = 16, SCENE_FILE_MAX = 1 << 20 };

typedef struct {
    const char *file;
    const char *name;
    Slice nodes[SCENE_NODES]; // names
    uint32_t node_count;
    const Value *objects, *pods; // lists
} Scene;
typedef Vec(Scene) SceneVec;

static inline Slice scene_text(const Value *value, const char *key) {
    const Value *member = value_get(value, slice_of(key));

    return member ? member->text : (Slice){0};
}

static inline bool scene_is(const Value *object, const char *kind) {
    return slice_eq_text(scene_text(object, "kind"), kind);
}

static inline Slice scene_name_of(const Value *object) {
    return scene_text(value_get_text(object, "metadata"), "name");
}

// Whether `list` (NULL: empty) has the text.
static inline bool scene_lists(const Value *list, Slice text) {
    for (uint32_t i = 0; list && i < list->list.count; i++) {
        if (slice_eq(list->list.items[i].text, text))
            return true;
    }
    return false;
}

static inline Scene scene_make(Arena *arena, const char *file, const Value *root) {
    Scene scene = {.file = file,
                   .name = arena_text(arena, scene_text(root, "scene")),
                   .objects = value_get_text(root, "objects"),
                   .pods = value_get_text(root, "pods")};

    CHECK(*scene.name && scene.objects && scene.pods && scene.pods->list.count && scene_text(root, "why").len,
          "%s, line %u: a scene has members scene, why, objects and pods", file, root->line);
    for (vec_each(const Value, object, &scene.objects->list)) {
        if (!scene_is(object, "Node"))
            continue;
        CHECK(scene.node_count < SCENE_NODES, "%s: a scene has at most %d nodes", scene.name, SCENE_NODES);
        scene.nodes[scene.node_count++] = scene_name_of(object);
    }
    return scene;
}

static inline Slice scenes_read_text(Arena *arena, const char *name) {
    char path[512];
    char *text = arena_alloc_raw(arena, SCENE_FILE_MAX);
    size_t length;
    FILE *file;

    snprintf(path, sizeof path, TENON_SOURCE_DIR "/tests/scenes/%s", name);
    file = fopen(path, "r");
    CHECK(file, "%s cannot be read", path);
    length = fread(text, 1, SCENE_FILE_MAX, file);
    fclose(file);
    CHECK(length > 0 && length < SCENE_FILE_MAX, "%s is empty or too large", path);
    return (Slice){text, length};
}

static inline void scenes_read_file(Arena *arena, const char *name, SceneVec *scenes) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    CHECK(yaml_parse(arena, slice_of(name), scenes_read_text(arena, name), NULL, &documents, &warnings, &err) == OK,
          "%s", err.text);
    for (vec_each(const Document, document, &documents))
        vec_push(arena, scenes, scene_make(arena, name, &document->root));
}

static inline int scenes_is_yaml(const struct dirent *entry) {
    return slice_ends_with(slice_of(entry->d_name), SLICE(".yaml"));
}

// All of them, in the order of the files' names.
static inline SceneVec scenes_read(Arena *arena) {
    SceneVec scenes = {0};
    struct dirent **files;
    int count = scandir(TENON_SOURCE_DIR "/tests/scenes", &files, scenes_is_yaml, alphasort);

    CHECK(count > 0, "there are no scenes");
    for (int i = 0; i < count; i++) {
        scenes_read_file(arena, arena_text(arena, slice_of(files[i]->d_name)), &scenes);
        free(files[i]);
    }
    free(files);
    CHECK(scenes.count >= 100, "only %u scenes", scenes.count);
    return scenes;
}

// Each scene as a case of a TEST_EACH. They live as long as the program.
static inline void scenes_list(TestCases *cases) {
    static Arena arena;
    SceneVec scenes = scenes_read(&arena);

    for (vec_each(Scene, scene, &scenes))
        test_case(cases, scene->name, scene);
}
