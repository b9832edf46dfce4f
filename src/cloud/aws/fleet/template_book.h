// Launch templates in EC2: made when a launch needs them, known for a quarter of an hour after their last use, deleted
// when nobody needed them for that long. Reference aws.md 3.5.
//
// A template's name is a hash of its content, so one of that name is the right one, whoever made it. Upstream deletes
// after a minute, and makes and deletes them in turns (issue 15, point 7).
#pragma once

#include "aws/call/pages.h"
#include "aws/service/ec2_launch_template.h"
#include "cloud/aws/fleet/template_flight.h"
#include "cloud/cloud.h"

#define TEMPLATE_KEPT_NS (15 * NS_PER_MIN)

typedef struct {
    char *name; // its own memory
    Mono used;
} KnownTemplate;

typedef struct {
    pthread_mutex_t lock; // guards the rest; not held over calls
    KnownTemplate *items;
    uint32_t count, capacity;
    TemplateFlights flights;
    bool is_loaded; // templates of former processes are known
    Mono load_at;   // not to be asked for before
} TemplateBook;

typedef Vec(Ec2CreateLaunchTemplateInput) TemplateInputVec;

void template_book_init(TemplateBook *book);
void template_book_free(TemplateBook *book);

// Learns which templates of the cluster there are, once; to be called before each use. Those of former processes are
// deleted in the same way when nobody needs them. ERR_*: it will be tried again in five minutes; launches go on.
ErrCode templates_load(TemplateBook *book, AwsClient *client, Slice cluster, Err *err);

// Sees to it that the templates are there: one question for those that are not known, and one request for each that is
// missing; those that another caller is making are waited for. O(templates × known). `ret_made`, in `arena`: names of
// those that were missing and that this caller made, also when a later one fails. An error is filled as that of a
// launch.
ErrCode templates_ensure(TemplateBook *book, AwsClient *client, const TemplateInputVec *inputs, Arena *arena,
                         SliceVec *ret_made, CloudError *error);

// EC2 has lost them.
void templates_forget(TemplateBook *book, const SliceVec *names);

// Deletes up to `most` templates that were not used for a quarter of an hour. One that cannot be deleted is tried again
// five minutes later. Returns how many it tried.
uint32_t templates_sweep(TemplateBook *book, AwsClient *client, uint32_t most);

// Deletes all templates that were made for a class, in this process or another. ERR_*: some are left.
ErrCode templates_delete_of(TemplateBook *book, AwsClient *client, Slice cluster, Slice class_name, CloudError *error);
